import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { isoOf, parseIso } from '../clock.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { TIERS, type Tier } from '../settings.ts';
import { counted } from './figures.ts';
import type { CliIo } from './io.ts';
import { progressLine } from './progress-line.ts';

const EXAMPLES = `
Examples:
  trendlake sandbox                                   a made-up world at the machine's time
  trendlake sandbox --at 2026-03-01 --speed 3600      an hour passes each second
  trendlake sandbox --from observations/              serve an import as of its newest observation
  trendlake sandbox --tier beta                       with the limits of an invitation key

Once listening it prints one JSON line, {"url": ..., "key": ...}. In another terminal:
  TRENDLAKE_BASE_URL=<url> TRENDLAKE_API_KEY=<key> trendlake sync`;

interface Options {
  port: number;
  from?: string;
  at?: number;
  speed?: number;
  seed?: number;
  tier?: Tier;
  rate?: number;
  month?: number;
}

/** Reads an option's whole number. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };

const positiveNumber = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('Expected a number above 0, at most 1000000.');
};

/** Reads an option's instant as Unix ms. */
export const instant = (text: string): number => {
  const at = parseIso(text);
  if (at === undefined)
    throw new InvalidArgumentError(
      'Expected an ISO 8601 time such as 2026-03-01T12:00Z or 2026-03-01.',
    );
  return at;
};

const tierName = (text: string): Tier => {
  if (Object.keys(TIERS).includes(text)) return text as Tier;
  throw new InvalidArgumentError(`Expected one of ${Object.keys(TIERS).join(', ')}.`);
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 0)
    .option('--from <path>', 'folder or file of NDJSON observations, instead of the made-up world')
    .option('--at <instant>', 'its clock stands still at this time (ISO 8601)', instant)
    .option('--speed <n>', 'its clock runs n times as fast, from --at or from now', positiveNumber)
    .option('--seed <n>', 'which made-up world', wholeNumber(0, 2 ** 31 - 1))
    .option('--tier <tier>', 'limits of its key: beta, scale or enterprise (default)', tierName)
    .option('--rate <n>', 'calls per minute of its key', wholeNumber(1, 100_000))
    .option('--month <n>', 'calls per month of its key', wholeNumber(1, 1_000_000_000))
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => {
      const progress = progressLine(io);
      io.err(
        options.from === undefined ? 'Making up a world ...' : `Importing ${options.from} ...`,
      );
      const sandbox = await startSandbox({
        clock: io.clock,
        cwd: io.cwd,
        signal: io.signal,
        from: options.from,
        at: options.at,
        speed: options.speed,
        port: options.port,
        seed: options.seed,
        tier: options.tier,
        ratePerMinute: options.rate,
        callsPerMonth: options.month,
        onProgress: ({ file, lines }) => progress.show(`${file}: ${counted(lines, 'line')}`),
        report: (sentence) => io.err(sentence),
      }).finally(() => progress.clear());
      const { url, key, clock, dashboard } = sandbox;
      io.out(JSON.stringify({ url, key }));
      io.err(`It is ${isoOf(clock.now())} there; to look at it: ${dashboard}`);
      io.err(
        `To sync from it at its own pace: TRENDLAKE_TIER=enterprise TRENDLAKE_RATE_PER_MINUTE=${sandbox.ratePerMinute} TRENDLAKE_CALLS_PER_MONTH=${sandbox.callsPerMonth}, with its url and key as TRENDLAKE_BASE_URL and TRENDLAKE_API_KEY.`,
      );
      io.err('Ctrl-C stops it; its lake goes with it.');
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await sandbox.close();
    });
};
