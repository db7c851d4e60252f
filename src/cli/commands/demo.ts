import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { CHORES, JOBS } from '../../../jobs/all-jobs.ts';
import { type VirtualClock, virtualClock } from '../../base/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';
import { EXIT, UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { dateOf, isoOf } from '../../base/iso.ts';
import { Opened } from '../../base/opened.ts';
import { wholeNumber } from '../../base/text-values.ts';
import { openLakeForReading } from '../../lake/open.ts';
import { openLakeFor } from '../../lake/origin.ts';
import { outlookAt } from '../../learn/forecast/outlook.ts';
import { overview } from '../../run/maintenance/overview.ts';
import { exportedIn, liveNight } from '../../run/run/night.ts';
import type { RunSummary } from '../../run/run/run-summary.ts';
import { densestStretch } from '../../sandbox/demo/dense-days.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { RandomStream } from '../../sandbox/world/random-stream.ts';
import { HttpApiClient } from '../../upstream/client.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { isoInstant, valued } from '../context/option-values.ts';
import { sandboxConfig } from '../context/upstream.ts';
import { outlookText, overviewText } from '../text/demo-text.ts';
import { counted } from '../text/figures.ts';

const HELP = `
Simulates each night in a few seconds. It serves a made-up world (or an import) with its own clock,
and each night is a real sync over HTTP with its export. You can query and serve the lake as usual.
A lake of an earlier demo or of the built-in sandbox is set aside. A lake of real data is never changed.

Examples:
  trendlake demo                                  seven nights that end today
  trendlake demo --nights 30 --at 2026-03-31
  trendlake demo --nights 7 --from observations/  seven days of your own data, the best covered ones`;

interface Options {
  nights: number;
  from?: string;
  at?: number;
}

/** End of the best-covered days of an import. */
const bestCovered = (options: Options, sandbox: Sandbox): number => {
  using lake = openLakeForReading(sandbox.dataDir);
  const before = options.at ?? Number.MAX_SAFE_INTEGER;
  const day = densestStretch(lake, before, options.nights);
  if (day === undefined)
    throw new UsageError(
      `${options.from} holds no counts of videos${options.at === undefined ? '' : ` before ${isoOf(options.at)}`}. Expected snapshots to live through; choose another --at or --from.`,
    );
  return Math.min(before, (day + 1) * DAY_MS);
};

const nightLine = (at: number, run: RunSummary, files: number): string => {
  const { videos, video_snapshots: snapshots } = run.rows;
  return `${dateOf(at)}  ${run.outcome}: ${counted(run.calls.sent, 'call')}, ${counted(videos.inserted, 'new video')}, ${counted(snapshots.inserted, 'count')}, ${counted(files, 'Parquet file')}`;
};

const COMMANDS_TO_TRY = [
  'query "select platform, rank, user, title, views from feed_now where rank <= 3"',
  'query "select tag, volume, views from hashtags order by volume desc limit 10"',
];

/** Default address of the dashboard. */
const DASHBOARD = 'http://127.0.0.1:8787/';

/** How to open the lake in a browser. A demo of past nights is shown as of its last night. */
const servedAt = (io: CliIo, endedAt: number): string => {
  const isOld = io.clock.now() - endedAt > 2 * DAY_MS;
  const minute = Math.ceil(endedAt / MINUTE_MS) * MINUTE_MS;
  return commandText(isOld ? `serve --at ${isoOf(minute).slice(0, 16)}Z` : 'serve');
};

const print = (
  io: CliIo,
  lines: readonly string[],
  { dataDir, endedAt }: { dataDir: string; endedAt: number },
): void => {
  for (const line of lines) io.out(line);
  const folder = relative(io.cwd, dataDir);
  io.out(
    `It is in ${folder === '' || folder.startsWith('..') ? dataDir : folder}: trendlake.db and parquet/. Try:`,
  );
  for (const command of COMMANDS_TO_TRY) io.out(`  ${commandText(command)}`);
  io.out(`The pages of it: ${servedAt(io, endedAt)}, then open ${DASHBOARD}`);
};

const live = async (
  options: Options,
  io: CliIo,
  { sandbox, clock, lastAt }: { sandbox: Sandbox; clock: VirtualClock; lastAt: number },
): Promise<void> => {
  const config = {
    ...sandboxConfig(configOf(io), sandbox),
    notify: undefined,
    afterSync: undefined,
    heartbeat: undefined, // nothing real happens
  };
  const { dataDir } = config;
  const origin = options.from === undefined ? 'sandbox' : 'replayed import';
  const fresh = { fresh: true, now: io.clock.now(), report: io.err };
  await using opened = new Opened();
  const lake = opened.add(openLakeFor(dataDir, origin, fresh));
  lake.sqlite.pragma('synchronous = OFF'); // a demo that lost power is made again
  const client = opened.add(new HttpApiClient(config));
  const chance = new RandomStream(1);
  const deps = {
    lake,
    config,
    client,
    clock,
    signal: io.signal,
    env: io.env,
    warn: io.err,
    jobs: JOBS,
    allJobs: JOBS,
    chores: CHORES.filter(({ name }) => name === 'export'),
    random: () => chance.next(),
    attempt: async <T>(_: string, work: () => Promise<T>) =>
      ({ ok: true, value: await work() }) as const,
  };
  const instants = Array.from(
    { length: options.nights },
    (_, i) => lastAt - (options.nights - 1 - i) * DAY_MS,
  );
  const lived: object[] = [];
  for (const at of instants) {
    clock.advanceTo(at);
    sandbox.clock.advanceTo(at); // its clock does not move during a night
    const night = await liveNight(deps);
    const run = night.runs.at(-1);
    if (run === undefined) break;
    const exported = exportedIn(night);
    lived.push({ at: isoOf(at), ...run, exported });
    if (!io.isJson) io.out(nightLine(at, run, exported.files));
    if (run.reason !== null) io.err(run.reason);
    io.exitCode = EXIT[run.outcome];
    if (run.outcome !== 'complete' && run.outcome !== 'partial') break;
  }
  const now = overview(lake);
  const outlook = outlookAt(lake.sqlite, clock.now());
  if (io.isJson) io.json({ dataDir, nights: lived, ...now, outlook });
  else
    print(io, [...overviewText(now), ...outlookText(outlook)], { dataDir, endedAt: clock.now() });
};

const run = async (options: Options, io: CliIo): Promise<void> => {
  const { from, nights: count } = options;
  io.note(from === undefined ? 'Generating a world ...' : `Importing ${from} ...`);
  const today = Math.floor(io.clock.now() / DAY_MS) * DAY_MS;
  const worldEnd = options.at ?? today;
  const clock = virtualClock(from === undefined ? worldEnd - (count - 1) * DAY_MS : 0);
  await using sandbox = await startSandbox({
    clock,
    from: from === undefined ? undefined : resolve(io.cwd, from),
    at: clock.now(), // the clock moves only between nights
    signal: io.signal,
    onProgress: ({ file, lines }) => io.progress(`${file}: ${counted(lines, 'line')}`),
    report: io.err,
  });
  const lastAt = from === undefined ? worldEnd : bestCovered(options, sandbox);
  await live(options, io, { sandbox, clock, lastAt });
};

export const define = (command: Command, io: CliIo): void => {
  command
    .addOption(valued('--nights <n>', 'how many', wholeNumber(1, 366), 7))
    .option('--from <path>', 'folder or file of NDJSON observations, instead of the made-up world')
    .addOption(valued('--at <instant>', 'when the last night is (ISO 8601)', isoInstant))
    .option('--json', 'print what was done as one JSON document')
    .addHelpText('after', HELP)
    .action((options: Options) => run(options, io));
};
