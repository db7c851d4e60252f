import { MOST_OF_A_KIND } from '../../alerts/events/newest-events.ts';
import { noticeEvents } from '../../alerts/events/notice.ts';
import { readThresholds } from '../../alerts/events/thresholds.ts';
import type { RevokedKeys } from '../../alerts/webhooks/revoked-keys.ts';
import { flushDeliveries } from '../../alerts/webhooks/sender.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { docsPage } from '../../base/installation.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import { makeListBasis } from '../../lake/lists/make-list-basis.ts';
import { SameLake } from '../../lake/same-lake.ts';
import { forecastLake } from '../../learn/forecast/forecast-lake.ts';
import type { Chore, ChoreDone, Job } from '../plan/job.ts';
import type { Attempt } from './attempt.ts';
import type { RunDeps } from './run-deps.ts';
import type { RunSummary } from './run-summary.ts';
import { sync } from './sync.ts';
import { type NoticeDeps, tellNotices } from './tell-notices.ts';

/** What a night needs of the world. */
export interface NightDeps extends RunDeps, NoticeDeps {
  allJobs: readonly Job[];
  /** What follows the sync, in this order; what the settings do not want is left out. */
  chores: readonly Chore[];
  /** Keys of `serve` that were revoked on any machine, where machines share them. */
  revokedKeys?: RevokedKeys | undefined;
  /** Told which run begins, `undefined` for a new one, and the jobs it makes. */
  onRun?: (runId: number | undefined, jobs: readonly string[]) => void;
}

/** What followed a sync. */
export interface Followed {
  /** Events noticed; 0 where noticing failed, which the next sync makes up for. */
  events: number;
  chores: { name: string; end: Attempt<ChoreDone> }[];
}

/** What a night did. */
export interface Night extends Followed {
  /** In order; the last one is of the jobs asked for, unless an earlier one paused. */
  runs: RunSummary[];
}

/** Who subscribed is told for at most so long; a sender at work, or the next night, goes on. */
const TELLING_MS = 10 * SECOND_MS;

/**
 * Notices events in what came and tells who subscribed. A second time finds nothing.
 * @returns how many events were noticed
 */
export const tellEvents = async (
  deps: Pick<NightDeps, 'lake' | 'config' | 'clock' | 'random' | 'signal' | 'warn' | 'revokedKeys'>,
): Promise<number> => {
  const { lake, config, clock, random, signal, warn, revokedKeys } = deps;
  const thresholds = readThresholds(config.eventThresholds);
  const { stored, beyond, left } = noticeEvents(lake, { clock, thresholds });
  if (left > 0)
    warn(
      `${left} events more were found than one night stores (${MOST_OF_A_KIND} of a kind, the newest); they were left out.`,
    );
  if (beyond > 0)
    warn(
      `${stored + beyond} events were noticed at once; ${stored} were kept and told, ${beyond} were not. See that the service's numbers are right, and ${docsPage('guides/events.md')} for the thresholds.`,
    );
  const world = { clock, random, signal, report: warn, revokedKeys };
  await flushDeliveries(lake, { ...world, budgetMs: TELLING_MS });
  return stored;
};

/** Learns what is due and forecasts what is tracked. A second time finds nothing to do. */
const forecastTracked = async ({ lake, clock, signal, warn }: NightDeps): Promise<void> => {
  const { warnings } = await forecastLake(lake, { clock, signal });
  for (const warning of warnings) warn(warning);
};

/**
 * What follows a sync: forecasts are made, events are noticed in what it brought and told, what lists
 * are made from is read ahead, then the chores are done, and whoever runs trendlake is told what is
 * not as it should be. Each part is attempted whatever became of the one before, and is safe to do
 * again.
 */
export const followSync = async (
  deps: NightDeps,
  runs: readonly RunSummary[],
): Promise<Followed> => {
  const { attempt, chores, lake, config, clock, random, env, signal } = deps;
  if (runs.length > 0) await attempt('forecasts', () => forecastTracked(deps));
  const told = runs.length === 0 ? undefined : await attempt('events', () => tellEvents(deps));
  if (runs.length > 0) await attempt('lists', async () => makeListBasis(lake, clock.now()));
  const done: Followed['chores'] = [];
  for (const chore of chores) {
    const context = { lake, config, clock, random, env, signal };
    done.push({ name: chore.name, end: await attempt(chore.name, () => chore.run(context)) });
  }
  await attempt('notices', () => tellNotices(deps, done));
  return { events: told?.ok === true ? told.value : 0, chores: done };
};

/**
 * One night, composed here for whoever makes one (`sync`, `schedule`, `demo`): an unfinished run is
 * taken up, the jobs asked for are run while no other process syncs, events are told, chores done.
 * @throws what the sync throws; nothing has followed it then
 */
export const liveNight = async (deps: NightDeps): Promise<Night> => {
  const { lake, config, clock, allJobs, onRun } = deps;
  const sameLake = new SameLake(lake);
  const runs = await withExclusive(config.dataDir, 'sync', clock, () => sync(deps, allJobs, onRun));
  sameLake.expect();
  return { runs, ...(await followSync(deps, runs)) };
};
