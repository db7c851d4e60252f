import type { Command } from 'commander';
import { CHORES, choresOf, JOBS } from '../../../jobs/all-jobs.ts';
import { startSender } from '../../alerts/webhooks/sender.ts';
import { systemClock } from '../../base/clock.ts';
import { type Config, webhookProxy } from '../../base/config/config.ts';
import { isStop, TrendlakeError, UsageError } from '../../base/errors.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { isoOf, parseIso } from '../../base/iso.ts';
import { Opened } from '../../base/opened.ts';
import type { Secret } from '../../base/secret.ts';
import { keepHeapSmall } from '../../base/small-memory.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import { whileLiving } from '../../lake/exclusive.ts';
import { removeUnfinishedBackups } from '../../run/maintenance/backup.ts';
import type { Chore } from '../../run/plan/job.ts';
import { keyMonths, planMonths } from '../../run/plan/key-plan.ts';
import { cronOfJob } from '../../run/plan/month-plan.ts';
import { attempting } from '../../run/run/attempt.ts';
import { Background } from '../../run/run/background.ts';
import { refuseUnreadable } from '../../run/run/last-probe.ts';
import { followSync, liveNight, type Night, type NightDeps } from '../../run/run/night.ts';
import type { RunSummary } from '../../run/run/run-summary.ts';
import { DAEMON } from '../../run/schedule/daemon.ts';
import { type BatchEnd, Schedule } from '../../run/schedule/schedule.ts';
import { LakeSlots, partlySharedSlots } from '../../run/schedule/slot-book.ts';
import type { OwnKey } from '../../upstream/throttle/key-limits.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { revokedElsewhere } from '../context/key-store.ts';
import { type LoggedIo, withLog } from '../context/log.ts';
import { openSession, type Session } from '../context/session.ts';
import { driftText } from '../text/status-text.ts';

const HELP = `
Runs until SIGINT or SIGTERM: it then finishes or abandons open calls and commits. A second signal
ends it at once. Start it under a supervisor, see ${docsPage('guides/operating.md')}.
A slot missed while it was down is caught up once. Several daemons may share a data directory: each
slot is run by one of them.

Schedules (cron, in TRENDLAKE_TIMEZONE):
${[...JOBS, ...CHORES].map(({ name, schedule }) => `  ${name.padEnd(10)} ${schedule}`).join('\n')}
TRENDLAKE_SCHEDULES='{"feed": "5 */2 * * *", "hashtags": "off"}' changes them.

On a terminal it prints sentences. Elsewhere, such as under systemd, it logs JSON lines on stderr
(TRENDLAKE_LOG=debug adds every call, TRENDLAKE_LOG_FILE sends them to a file).

Example:
  TRENDLAKE_TIMEZONE=Europe/Berlin trendlake schedule`;

/**
 * @throws UsageError if no service is configured: a forgotten address would collect sandbox data
 * for ever
 */
const refuseSandbox = (config: Config, isWanted: boolean): void => {
  const hasService = config.baseUrl !== undefined || config.keys.length > 0;
  if (!hasService && !isWanted)
    throw new UsageError(
      'TRENDLAKE_BASE_URL is not set, so no service can be called. Set it and TRENDLAKE_API_KEY, or use --sandbox to collect from the built-in, made-up world.',
    );
  if (hasService && isWanted)
    throw new UsageError(
      config.keys.length > 0
        ? 'The configuration has keys, but --sandbox asks for the made-up world. Remove one of them.'
        : 'TRENDLAKE_BASE_URL is set, but --sandbox asks for the made-up world. Remove one of them.',
    );
};

/** Secrets of all keys. Daemons with the same keys share their slots. */
const secretsOf = (keys: readonly OwnKey[]): Secret[] =>
  keys.flatMap(({ apiKey }) => (apiKey === undefined ? [] : [apiKey]));

/** Reports what a daemon does: to its log, and as sentences on a terminal. */
const tellerOf = ({ io, log, forPeople }: LoggedIo) => {
  const say = (sentence: string): void => {
    if (forPeople) io.note(`${isoOf(io.clock.now())} ${sentence}`);
  };
  const reporting = (level: 'info' | 'warn' | 'error') => (sentence: string) => {
    log[level]({}, sentence);
    say(sentence);
  };
  return {
    report: reporting('info'),
    warn: reporting('warn'),
    fail: reporting('error'),
    run: ({ runId, outcome, calls, items, drift, reason }: RunSummary): void => {
      say(
        `run ${runId} ${outcome}: ${calls.sent} calls, ${items.done} responses loaded${reason === null ? '' : `; ${reason}`}`,
      );
      for (const found of drift) say(driftText(found, `in ${found.request}`).trim());
    },
    chore: (name: string, did: string): void => {
      log.info({ job: name }, did);
      say(`${name}: ${did}`);
    },
  };
};
type Teller = ReturnType<typeof tellerOf>;

/** Shared dependencies of every batch of due jobs. */
type BatchDeps = Omit<NightDeps, 'jobs' | 'chores' | 'onRun'>;

/**
 * Runs due jobs and chores. Returns jobs to retry: a paused or stopped run did not reach them.
 * @throws transient errors, which are worth a retry
 */
const runDue = async (
  names: readonly string[],
  wanted: readonly Chore[],
  common: BatchDeps,
  teller: Teller,
): Promise<BatchEnd> => {
  const jobs = JOBS.filter((job) => names.includes(job.name));
  const leftBehind = new Set(jobs.map(({ name }) => name));
  const onRun = (_: number | undefined, begun: readonly string[]): void => {
    for (const name of begun) leftBehind.delete(name);
  };
  const chores = wanted.filter((chore) => names.includes(chore.name));
  const deps = { ...common, jobs, chores, onRun };
  const night = await liveNight(deps).catch(async (error: unknown): Promise<Night> => {
    if (!(error instanceof TrendlakeError) || error.transient) throw error;
    teller.fail(`sync: ${error.message}`);
    leftBehind.clear();
    return { runs: [], ...(await followSync(deps, [])) };
  });
  for (const summary of night.runs) teller.run(summary);
  if (night.events > 0) teller.report(`${night.events} events detected`);
  const retry = [...leftBehind];
  for (const { name, end } of night.chores) {
    if (end.ok) teller.chore(name, end.value.did);
    else if (end.retry) retry.push(name);
  }
  const resumesAt = night.runs.at(-1)?.resumesAt ?? null;
  return { resumesAt: resumesAt === null ? null : (parseIso(resumesAt) ?? null), retry };
};

/** Warns when the schedules need more calls than the month has left. */
const warnOfMonth = async (
  { lake, config, ledgers }: Session,
  now: number,
  warn: (sentence: string) => void,
): Promise<void> => {
  const { fits, missing, advice } = planMonths(
    await keyMonths(lake, config, JOBS, { ledgers, now }),
  );
  if (!fits)
    warn(
      `warning: this month's schedules are short by ${missing} calls. Run \`${commandText('plan')}\` for details. ${advice.join(' ')}`,
    );
};

const run = async (trustsClock: boolean, logged: LoggedIo): Promise<void> => {
  keepHeapSmall();
  const { io, log, config } = logged;
  const { clock, random, signal } = io;
  const wanted = choresOf(config);
  const scheduled = [...JOBS, ...wanted].flatMap((job) => {
    const cron = cronOfJob(job, config);
    return cron === undefined ? [] : [{ name: job.name, cron }];
  });
  const teller = tellerOf(logged);
  const { report, warn, fail } = teller;
  try {
    await using session = await openSession(config, io, { waits: true, report });
    await using opened = new Opened();
    const { lake, origin, keys } = session;
    removeUnfinishedBackups(lake.dataDir);
    refuseUnreadable(lake, config);
    for (const problem of clockProblems(lake, clock.now())) warn(`warning: ${problem}`);
    const revokedKeys = revokedElsewhere(config, clock);
    const attempt = attempting({ lakePath: lake.path, signal, report: { warn, fail } });
    const common = {
      ...session,
      revokedKeys,
      allJobs: JOBS,
      log,
      attempt,
      warn,
      background: opened.add(new Background()),
      hooks: opened.add(new Background()),
      ...(origin === 'upstream' ? { clockCheck: { isTrusted: trustsClock } } : {}),
    };
    await attempt('plan', () => warnOfMonth(session, clock.now(), warn));
    report(
      `trendlake schedules ${scheduled.map(({ name }) => name).join(', ')} (${config.timezone})`,
    );
    const word = Math.floor(random() * 2 ** 48).toString(36);
    const own = new LakeSlots(lake, clock, word);
    const isJob = (name: string): boolean => JOBS.some((job) => job.name === name);
    const shared = session.ledgers.slots?.(secretsOf(keys), random().toString(36).slice(2));
    const slots = shared === undefined ? own : partlySharedSlots(isJob, shared, own);
    const sender = startSender(lake, {
      clock,
      random,
      report: warn,
      revokedKeys,
      proxy: webhookProxy(config),
      publicUrl: config.publicUrl,
    });
    try {
      const runJobs = (names: readonly string[]) => runDue(names, wanted, common, teller);
      const deps = { lake, clock, signal, jobs: scheduled, slots, runJobs, report, warn, fail };
      const schedule = new Schedule(deps);
      await whileLiving(config.dataDir, { name: DAEMON, word, clock, wall: systemClock }, () =>
        schedule.run(),
      );
    } finally {
      await sender.stop();
    }
    report('stopped');
  } catch (error) {
    // stopped while the sandbox or the ledger started
    if (!isStop(error, signal)) throw error;
    report('stopped');
  }
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option(
      '--sandbox',
      'collect from the built-in, made-up world; only without TRENDLAKE_BASE_URL',
    )
    .addHelpText('after', HELP)
    .option('--trust-clock', "go on although this clock is a day ahead of the service's")
    .action((options: { sandbox?: boolean; trustClock?: boolean }) => {
      refuseSandbox(configOf(io), options.sandbox === true);
      return withLog(io, io.isTerminal ? 'off' : 'info', (logged) =>
        run(options.trustClock === true, logged),
      );
    });
};
