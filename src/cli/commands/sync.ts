import type { Command } from 'commander';
import { choresOf, JOBS } from '../../../jobs/all-jobs.ts';
import { EXIT, type ExitCode, isStop, messageOf } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { orCost } from '../../base/money.ts';
import { keepHeapSmall } from '../../base/small-memory.ts';
import { wholeNumber } from '../../base/text-values.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import type { Attempting } from '../../run/run/attempt.ts';
import { refuseUnreadable } from '../../run/run/last-probe.ts';
import { exportedIn, liveNight, type Night } from '../../run/run/night.ts';
import type { RunSummary } from '../../run/run/run-summary.ts';
import { jobsNamed } from '../../run/run/sync.ts';
import type { CliIo } from '../context/io.ts';
import { revokedElsewhere } from '../context/key-store.ts';
import { type LoggedIo, withLog } from '../context/log.ts';
import { valued } from '../context/option-values.ts';
import { openSession, type Session } from '../context/session.ts';
import { refreshesWhileWaiting } from '../context/upstream.ts';
import { counted, grouped } from '../text/figures.ts';
import { rowsText } from '../text/rows-text.ts';
import { driftText } from '../text/status-text.ts';
import { SyncProgress } from '../text/sync-progress.ts';

const HELP = `
Pulls feed, trends, hashtags, growth timelines and creators, loads them into <data dir>/trendlake.db
and exports what changed to <data dir>/parquet/. Without TRENDLAKE_BASE_URL it runs against the
built-in sandbox, a made-up world, so that you can try everything without a key.

With a key:
  export TRENDLAKE_BASE_URL=https://<service>/v1
  export TRENDLAKE_API_KEY=<your key>
  trendlake sync

Examples:
  trendlake sync --jobs feed,trends      only these; jobs: ${JOBS.map((job) => job.name).join(', ')}
  trendlake sync --max-calls 50          spend at most 50 calls, go on next time
  trendlake sync --json                  the summary for scripts

Then:
  trendlake query "select * from feed_now limit 5"
  trendlake status

Because you wait, a sync makes no more calls than fit into one minute of the key's pace. Change this
with TRENDLAKE_GROWTH_CALLS and TRENDLAKE_CREATOR_CALLS. \`schedule\` spends what the month's budget
allows.

TRENDLAKE_LOG=debug logs every call as a JSON line on stderr (${docsPage('guides/operating.md')}).

Every call is recorded before it is sent. The next sync resumes a run that was killed or ran out of
calls, and repeats no call. Exit codes: 0 complete, 1 failed, 2 usage or configuration, 3 partial,
75 paused (calls are spent; the next sync resumes the run).`;

interface SyncOptions {
  jobs?: string[];
  maxCalls?: number;
  trustClock?: boolean;
  export: boolean;
}

const DRIFT_TOLD = 10;

const print = (
  io: CliIo,
  summary: RunSummary,
  { events, exported }: { events: number; exported: ReturnType<typeof exportedIn> },
  { origin, config: { pricePer1000: price } }: Session,
): void => {
  const { calls, items, quota } = summary;
  io.out(
    `Run ${summary.runId} ${summary.outcome}: ${counted(calls.sent, 'call')}${calls.failed > 0 ? ` (${grouped(calls.failed)} failed)` : ''}, ${counted(items.done, 'response')} loaded${items.planned > 0 ? `, ${counted(items.planned, 'request')} still to make` : ''}.`,
  );
  for (const line of rowsText(summary.rows)) io.out(line);
  if (summary.rejected > 0)
    io.out(
      `  ${counted(summary.rejected, 'item')} rejected: ${commandText('query "select * from rejected_items"')}`,
    );
  if (summary.drift.length > 0)
    io.out(`  ${counted(summary.drift.length, 'drifted field')}, seen for the first time:`);
  for (const drift of summary.drift.slice(0, DRIFT_TOLD))
    io.out(`  ${driftText(drift, `in ${drift.request}`)}`);
  if (summary.drift.length > DRIFT_TOLD)
    io.out(
      `    ${summary.drift.length - DRIFT_TOLD} more: ${commandText('query "select * from drift"')}`,
    );
  if (events > 0)
    io.out(`  Events             ${grouped(events)} detected: ${commandText('events')}`);
  if (exported.files > 0)
    io.out(
      `  Parquet            ${counted(exported.files, 'file')}, ${counted(exported.rows, 'row')} written`,
    );
  io.out(
    `  Quota              ${quota.remaining === null ? 'unknown' : grouped(quota.remaining)} of ${origin === 'sandbox' ? "the sandbox's " : ''}${grouped(quota.month)} calls left this month${origin === 'sandbox' ? '' : orCost(calls.sent, price).replace(', ', '; this run cost ')}`,
  );
  for (const key of quota.keys ?? [])
    io.out(
      `    key ${key.name.padEnd(12)} ${key.remaining === null ? 'unknown' : grouped(key.remaining)} of ${grouped(key.month)}`,
    );
  if (summary.reason !== null) io.err(summary.reason);
  if (summary.outcome === 'paused')
    io.err(
      `Paused${summary.resumesAt === null ? '' : ` until ${summary.resumesAt}`}; run \`${commandText('sync')}\` again to go on.`,
    );
};

/** Reports keys that stopped although the run went on, unless its reason names them. */
const tellStopped = (io: CliIo, { quota: { keys = [] }, reason }: RunSummary): void => {
  for (const { name, stopped } of keys)
    if (stopped !== undefined && reason?.includes(stopped) !== true)
      io.err(`Key ${name} was left out: ${stopped}`);
};

/** Messages for each failed step after a sync. */
const FAILED: Record<string, string> = {
  events: 'Event detection failed. Loaded data is kept, and the next sync detects them:',
  export: 'The export failed. Loaded data is kept:',
  publish: 'Publishing failed. Exported files are kept:',
};

/**
 * Runs a step after the sync. Its failure is reported, and the summary of the sync is still
 * printed.
 */
const attempting =
  ({ io, log }: LoggedIo): Attempting =>
  async (name, work) => {
    try {
      io.signal.throwIfAborted();
      return { ok: true, value: await work() };
    } catch (error) {
      if (isStop(error, io.signal)) return { ok: false, retry: true };
      log.error({ job: name, outcome: 'failed' }, messageOf(error));
      io.err(`${FAILED[name] ?? `${name} failed:`} ${messageOf(error)}`);
      return { ok: false, retry: false };
    }
  };

/** Exit code of the run, or of a step after it that failed or was stopped. */
const exitCodeOf = ({ runs, chores }: Night): ExitCode => {
  const ends = chores.map(({ end }) => end);
  if (ends.some((end) => !end.ok && !end.retry)) return EXIT.failed;
  if (ends.some((end) => !end.ok)) return EXIT.paused;
  return EXIT[runs.at(-1)?.outcome ?? 'complete'];
};

/** Prints the last run, the steps after it, and keys that stopped. */
const tellNight = (
  night: Night,
  { session, asJson }: { session: Session; asJson: boolean },
  { io, log }: LoggedIo,
): void => {
  const last = night.runs.at(-1);
  if (last === undefined) return;
  const { events } = night;
  log.info({ runId: last.runId, events }, 'events detected');
  for (const { name, end } of night.chores)
    if (end.ok) log.info({ job: name, ...end.value }, end.value.did);
  const exported = exportedIn(night);
  if (asJson) {
    io.json({ ...last, events, exported });
    if (last.reason !== null) io.err(last.reason);
  } else print(io, last, { events, exported }, session);
  tellStopped(io, last);
};

const run = async (options: SyncOptions, logged: LoggedIo): Promise<void> => {
  const { io, log, forPeople } = logged;
  keepHeapSmall();
  const jobs = jobsNamed(options.jobs, JOBS);
  using progress = new SyncProgress(io);
  await using session = await openSession(logged.config, io);
  const { lake, origin, clock } = session;
  const config = { ...session.config, ...refreshesWhileWaiting(session.config) };
  refuseUnreadable(lake, config);
  for (const problem of clockProblems(lake, clock.now())) io.err(`warning: ${problem}`);
  const night = await liveNight({
    ...session,
    config,
    log,
    jobs,
    ...(origin === 'upstream' ? { clockCheck: { isTrusted: options.trustClock === true } } : {}),
    ...(options.maxCalls === undefined ? {} : { maxCalls: options.maxCalls }),
    ...(forPeople ? { onProgress: progress.show, onWait: progress.wait } : {}),
    revokedKeys: revokedElsewhere(config, clock),
    allJobs: JOBS,
    chores: options.export
      ? choresOf(config).filter(({ name }) => name === 'export' || name === 'publish')
      : [],
    attempt: attempting(logged),
    warn: io.err,
    onRun: (id) => {
      if (id !== undefined && forPeople) io.note(`Resuming run ${id}, which did not finish.`);
    },
  });
  progress.clear();
  tellNight(night, { session, asJson: io.isJson }, logged);
  io.exitCode = exitCodeOf(night);
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--jobs <names>', 'only these jobs, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .addOption(valued('--max-calls <n>', 'spend at most this many calls', wholeNumber(1)))
    .option('--no-export', 'do not update the Parquet files')
    .option('--trust-clock', "go on although this clock is a day ahead of the service's")
    .option('--json', 'print the summary as one JSON document')
    .addHelpText('after', HELP)
    .action((options: SyncOptions) => withLog(io, 'off', (logged) => run(options, logged)));
};
