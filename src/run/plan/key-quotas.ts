import { PLATFORMS, type RefreshJob } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import type { KeyLane } from '../run/lanes.ts';
import type { RunDeps } from '../run/run-deps.ts';
import type { KeyQuota, RunSummary } from '../run/run-summary.ts';
import { rateOf } from './accounting.ts';
import { keyPlans, spentTogether } from './key-plan.ts';
import { sumOf } from './month-forecast.ts';
import { refreshBudget } from './month-plan.ts';
import type { RefreshBudget } from './refresh-planner.ts';
import { watchAllowance, withWatches } from './watch-planner.ts';

/** Remaining calls of a key; null if the ledger is unreachable, which stopped the run. */
const ofLane = async ({ key, ledger, stop }: KeyLane): Promise<KeyQuota> => {
  const name = key.key?.name ?? '';
  const why = stop === undefined ? {} : { stopped: stop.message };
  try {
    await ledger.drain?.();
    const spent = await ledger.spent();
    const { limit, remaining, endsAt } = spent.month;
    const minute = rateOf(spent, key);
    return { name, ...why, minute, month: limit, remaining, resetsAt: isoOf(endsAt) };
  } catch (error) {
    if (!(error instanceof PausedError)) throw error;
    const { ratePerMinute: minute, callsPerMonth: month } = key;
    return { name, ...why, minute, month, remaining: null, resetsAt: null };
  }
};

/** Remaining calls of all keys together, and of each if there are several. */
export const quotaOf = async (lanes: readonly KeyLane[]): Promise<RunSummary['quota']> => {
  const keys: KeyQuota[] = [];
  for (const lane of lanes) keys.push(await ofLane(lane));
  const isKnown = keys.every(({ remaining }) => remaining !== null);
  const resets = keys.flatMap(({ resetsAt }) => resetsAt ?? []);
  return {
    minute: sumOf(keys, 'minute'),
    month: sumOf(keys, 'month'),
    remaining: isKnown ? keys.reduce((sum, { remaining }) => sum + (remaining ?? 0), 0) : null,
    resetsAt: resets.toSorted()[0] ?? null,
    ...(keys.length === 1 ? {} : { keys }),
  };
};

/** Calls that watches may make in a run of the keys that have not stopped. */
export const watchCallsOf = async (
  lanes: readonly KeyLane[],
  { lake, config, clock }: Pick<RunDeps, 'lake' | 'config' | 'clock'>,
): Promise<number> => {
  const months: MonthSpent[] = [];
  for (const { ledger, stop } of lanes) if (stop === undefined) months.push(await ledger.spent());
  if (months.length === 0) return 0;
  return watchAllowance(lake, config, { month: spentTogether(months).month, now: clock.now() });
};

/** Merges budgets that share a platform: either key can make those refreshes. */
const addBudget = (budgets: readonly RefreshBudget[], added: RefreshBudget): RefreshBudget[] => {
  const { shared = [], others = [] } = Object.groupBy(budgets, ({ platforms }) =>
    platforms.some((platform) => added.platforms.includes(platform)) ? 'shared' : 'others',
  );
  const all = [...shared, added];
  const calls = all.map((budget) => budget.calls);
  const merged = {
    platforms: [...new Set(all.flatMap(({ platforms }) => platforms))],
    calls: { growth: sumOf(calls, 'growth'), creators: sumOf(calls, 'creators') },
  };
  return [...others, merged];
};

/** Refresh budgets of the keys that have not stopped, by platforms. */
export const refreshBudgets = async (
  lanes: readonly KeyLane[],
  {
    lake,
    config,
    clock,
    jobs,
    allJobs = jobs,
  }: Pick<RunDeps, 'lake' | 'config' | 'clock' | 'jobs' | 'allJobs'>,
): Promise<RefreshBudget[]> => {
  const plans = keyPlans(
    lanes.map(({ key }) => key),
    config,
    withWatches(allJobs, lake, config, { now: clock.now() }),
  );
  const runs = (name: RefreshJob): boolean => jobs.some((job) => job.name === name);
  let budgets: RefreshBudget[] = [];
  for (const [index, { key, ledger, stop }] of lanes.entries()) {
    const plan = plans[index];
    if (stop !== undefined || plan === undefined) continue;
    const { growth, creators } = refreshBudget(await ledger.spent(), plan.config, plan.jobs);
    const calls = {
      growth: runs('growth') ? growth : 0,
      creators: runs('creators') ? creators : 0,
    };
    const platforms = key.key === undefined ? PLATFORMS : key.platforms;
    budgets = addBudget(budgets, { platforms, calls });
  }
  return budgets;
};
