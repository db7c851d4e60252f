import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { TIER_NAMES } from '../../base/config/tiers.ts';
import { isoOf } from '../../base/iso.ts';
import { listOf, oneOf, positiveNumber, wholeNumber } from '../../base/text-values.ts';
import { DIALECTS } from '../../sandbox/dialects.ts';
import { type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import type { CliIo } from '../context/io.ts';
import { isoInstant, keyList, valued } from '../context/option-values.ts';
import { counted } from '../text/figures.ts';

const EXAMPLES = `
Examples:
  trendlake sandbox                                   a made-up world at the machine's time
  trendlake sandbox --at 2026-03-01 --speed 3600      an hour passes each second
  trendlake sandbox --from observations/              serve an import as of its newest observation
  trendlake sandbox --tier beta                       with the limits of an invitation key
  trendlake sandbox --keys berlin=beta,oslo=30/2000   two keys more; it prints them, too
  trendlake sandbox --dialect cursor,fraction         cursors and fractions, to try the command probe

Dialects: ${Object.keys(DIALECTS).join(', ')}.

Once listening it prints one JSON line, {"url": ..., "key": ...}. In another terminal:
  TRENDLAKE_BASE_URL=<url> TRENDLAKE_API_KEY=<key> trendlake sync`;

interface Options
  extends Pick<SandboxOptions, 'port' | 'from' | 'at' | 'speed' | 'seed' | 'tier' | 'keys'> {
  readonly rate?: number;
  readonly month?: number;
  readonly dialect?: string[];
}

export const define = (command: Command, io: CliIo): void => {
  command
    .addOption(
      valued('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 0),
    )
    .option('--from <path>', 'folder or file of NDJSON observations, instead of the made-up world')
    .addOption(valued('--at <instant>', 'fix its clock at this time (ISO 8601)', isoInstant))
    .addOption(
      valued(
        '--speed <n>',
        'run its clock n times as fast, from --at or from now',
        positiveNumber(1e6),
      ),
    )
    .addOption(valued('--seed <n>', 'seed of the made-up world', wholeNumber(0, 2 ** 31 - 1)))
    .addOption(
      valued(
        '--tier <tier>',
        'limits of its key: beta, scale or enterprise (default)',
        oneOf(TIER_NAMES),
      ),
    )
    .addOption(valued('--rate <n>', 'calls per minute of its key', wholeNumber(1, 100_000)))
    .addOption(valued('--month <n>', 'calls per month of its key', wholeNumber(1, 1_000_000_000)))
    .addOption(valued('--keys <list>', 'more keys, such as berlin=beta,oslo=30/2000', keyList))
    .addOption(
      valued(
        '--dialect <names>',
        'speak like another service, such as offset,fraction',
        listOf(Object.keys(DIALECTS)),
      ),
    )
    .option('--json', 'print {"url", "key"} once listening (the default)')
    .addHelpText('after', EXAMPLES)
    .action(async ({ rate, month, dialect, from, ...options }: Options) => {
      io.note(from === undefined ? 'Generating a world ...' : `Importing ${from} ...`);
      await using sandbox = await startSandbox({
        ...options,
        clock: io.clock,
        signal: io.signal,
        from: from === undefined ? undefined : resolve(io.cwd, from),
        ratePerMinute: rate,
        callsPerMonth: month,
        dialects: dialect,
        onProgress: ({ file, lines }) => io.progress(`${file}: ${counted(lines, 'line')}`),
        report: io.err,
      });
      const { url, key, clock, dashboard } = sandbox;
      const more = Object.fromEntries(sandbox.keys.map((key) => [key.name, key.key]));
      io.json({ url, key, ...(sandbox.keys.length === 0 ? {} : { keys: more }) }, 0);
      io.note(`It is ${isoOf(clock.now())} there; to look at it: ${dashboard}`);
      io.note(
        `To sync from it at its own pace: TRENDLAKE_TIER=enterprise TRENDLAKE_RATE_PER_MINUTE=${sandbox.ratePerMinute} TRENDLAKE_CALLS_PER_MONTH=${sandbox.callsPerMonth}, with its url and key as TRENDLAKE_BASE_URL and TRENDLAKE_API_KEY.`,
      );
      io.note('Ctrl-C stops it; its lake goes with it.');
      if (!io.signal.aborted) await once(io.signal, 'abort');
    });
};
