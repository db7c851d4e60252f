import { MOST_OF_A_KIND, noticeEvents } from '../../alerts/events/notice.ts';
import { readThresholds } from '../../alerts/events/thresholds.ts';
import { judgeConditions } from '../../alerts/notify/judge.ts';
import { sendNotices } from '../../alerts/notify/notify.ts';
import { statementRunner } from '../../alerts/rules/alert-rows.ts';
import { evaluateAlerts } from '../../alerts/rules/evaluate.ts';
import { sendHits } from '../../alerts/rules/send-hits.ts';
import { flushDeliveries, type RevokedKeys } from '../../alerts/webhooks/sender.ts';
import { webhookProxy } from '../../base/config/config.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { commandText, docsPage } from '../../base/installation.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { forecastLake } from '../../learn/forecast/forecast-lake.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import type { Chore, ChoreDone, Job } from '../plan/job.ts';
import { keyMonths, planMonths } from '../plan/key-plan.ts';
import { expectedSources } from '../plan/month-plan.ts';
import type { Attempt, Attempting } from './attempt.ts';
import type { Background } from './background.ts';
import { type HookDeps, NightHooks } from './night-hooks.ts';
import type { RunDeps } from './run-deps.ts';
import type { RunSummary } from './run-summary.ts';
import { sync } from './sync.ts';

export interface NightDeps extends RunDeps, HookDeps {
  allJobs: readonly Job[];
  attempt: Attempting;
  /** Sends notices beside the next runs. Default: waits for sending. */
  background?: Background;
  /** Run after the sync, in this order. Disabled chores are left out. */
  chores: readonly Chore[];
  /** Revoked keys of `serve`, if several machines share them. */
  revokedKeys?: RevokedKeys | undefined;
  /** Called when a run starts. `undefined`: a new run. */
  onRun?: (runId: number | undefined, jobs: readonly string[]) => void;
}

interface EndedChore {
  name: string;
  end: Attempt<ChoreDone>;
}

/** Work after a sync. */
export interface Followed {
  /** New events; 0 if detecting failed, which the next sync repeats. */
  events: number;
  chores: EndedChore[];
}

export interface Night extends Followed {
  /** In order. The last one has the requested jobs, unless an earlier one paused. */
  runs: RunSummary[];
}

/** Parquet files and rows that a night wrote; 0 if its export failed or was left out. */
export const exportedIn = ({ chores }: Pick<Night, 'chores'>): { files: number; rows: number } => {
  const end = chores.find(({ name }) => name === 'export')?.end;
  const { files = 0, rows = 0 } = end?.ok === true ? end.value : {};
  return { files, rows };
};

/** Maximum time for sending webhooks. The next sender continues. */
const SENDING_MS = 10 * SECOND_MS;

/**
 * Detects events and sends them to subscribers. Repeating it finds nothing new.
 * @returns the number of new events
 */
export const tellEvents = async (
  deps: Pick<NightDeps, 'lake' | 'config' | 'clock' | 'random' | 'signal' | 'warn' | 'revokedKeys'>,
): Promise<number> => {
  const { lake, config, clock, random, signal, warn, revokedKeys } = deps;
  const thresholds = readThresholds(config.eventThresholds);
  const { stored, beyond, left } = noticeEvents(lake, { clock, thresholds });
  if (left > 0)
    warn(
      `${left} events were not stored. One night stores the newest ${MOST_OF_A_KIND} events of each kind.`,
    );
  if (beyond > 0)
    warn(
      `${stored + beyond} events were detected at once. ${stored} were kept and sent, ${beyond} were not. Check that the service's numbers are right, and adjust the thresholds (${docsPage('guides/events.md')}).`,
    );
  const { publicUrl } = config;
  const world = { clock, random, signal, report: warn, revokedKeys, publicUrl };
  const proxy = webhookProxy(config);
  await flushDeliveries(lake, { ...world, proxy, budgetMs: SENDING_MS });
  return stored;
};

/** Trains due models and forecasts tracked videos. Repeating it does nothing. */
const forecastTracked = async ({ lake, clock, signal, warn }: NightDeps): Promise<void> => {
  const { warnings } = await forecastLake(lake, { clock, signal });
  for (const warning of warnings) warn(warning);
};

/** Evaluates the alerts of users. */
const evaluateOwn = async (deps: NightDeps): Promise<number> => {
  const { lake, config, clock, env, signal, warn } = deps;
  const run = statementRunner(lake.dataDir, { env, clock, signal });
  return await evaluateAlerts(lake, {
    run,
    now: clock.now(),
    notify: config.notify?.reveal(),
    warn,
  });
};

/** Sends unsent notices and alerts. A failure is a warning, and everything unsent is sent after the next run. */
const sendUnsent = async (deps: NightDeps): Promise<void> => {
  const { lake, warn, config, clock, env, signal } = deps;
  const world = { clock, env, signal, publicUrl: config.publicUrl };
  const channel = config.notify?.reveal();
  const failure = channel === undefined ? undefined : await sendNotices(lake, channel, world);
  if (failure !== undefined)
    warn(`Could not send to TRENDLAKE_NOTIFY (${failure}). trendlake retries after the next run.`);
  for (const unsent of await sendHits(lake, channel, world))
    warn(`Could not send an alert (${unsent}). trendlake retries after the next run.`);
};

/** Records new and resolved problems. */
const judge = async (
  { lake, config, clock, ledgers = LAKE_LEDGERS, allJobs }: NightDeps,
  chores: readonly EndedChore[],
): Promise<void> => {
  const now = clock.now();
  const plan = planMonths(await keyMonths(lake, config, allJobs, { ledgers, now }));
  judgeConditions(
    lake,
    {
      sources: expectedSources(allJobs, config, now),
      quota: plan.fits
        ? null
        : `The month's calls will run out: the schedules need ${plan.missing} more. Run \`${commandText('plan')}\` for details.`,
      chores: chores.map(({ name, end }) => ({ name, failed: !end.ok })),
    },
    now,
  );
};

/**
 * Records new and resolved problems and sends each once to `TRENDLAKE_NOTIFY`, and alerts to their
 * targets. With `background`, a slow receiver does not delay runs.
 */
const tellNotices = async (deps: NightDeps, chores: readonly EndedChore[]): Promise<void> => {
  const { config, attempt, background } = deps;
  if (config.notify !== undefined) await judge(deps, chores);
  const sending = () => attempt('sending notices', () => sendUnsent(deps));
  if (background === undefined) await sending();
  else background.start(sending);
};

/**
 * Work after a sync: forecasts, events, alerts, chores, notices. A failed part does not
 * stop the others. Each part can be repeated safely.
 */
export const followSync = async (
  deps: NightDeps,
  runs: readonly RunSummary[],
  noteChanges: () => void = () => {},
): Promise<Followed> => {
  const { attempt, chores, lake, config, clock, random, env, signal } = deps;
  if (runs.length > 0) await attempt('forecasts', () => forecastTracked(deps));
  const events = runs.length === 0 ? undefined : await attempt('events', () => tellEvents(deps));
  if (runs.some(({ outcome }) => outcome === 'complete'))
    await attempt('alerts', () => evaluateOwn(deps));
  await attempt('hooks', async () => noteChanges());
  const done: Followed['chores'] = [];
  for (const chore of chores) {
    const context = { lake, config, clock, random, env, signal };
    done.push({ name: chore.name, end: await attempt(chore.name, () => chore.run(context)) });
  }
  await attempt('notices', () => tellNotices(deps, done));
  return { events: events?.ok === true ? events.value : 0, chores: done };
};

/**
 * One night of `sync`, `schedule` or `demo`: resumes an unfinished run, runs the requested jobs
 * while no other process syncs, then does the work after a sync.
 * @throws errors of the sync, before the work after it
 */
export const liveNight = async (deps: NightDeps): Promise<Night> => {
  const { lake, config, clock, allJobs, onRun } = deps;
  const hooks = new NightHooks(deps);
  const begin: NonNullable<NightDeps['onRun']> = (...run) => {
    hooks.start();
    onRun?.(...run);
  };
  const runs = await withExclusive(config.dataDir, 'sync', clock, () =>
    sync(deps, allJobs, begin),
  ).catch(async (error: unknown) => {
    await hooks.failed();
    throw error;
  });
  lake.requireThere();
  const followed = await followSync(deps, runs, () => hooks.noteChanges());
  await hooks.end(runs, followed.chores);
  return { runs, ...followed };
};
