import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import { type KeysConfig, keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { LedgerSource, MonthSpent } from '../../upstream/throttle/ledger.ts';
import { shareOf } from './key-share.ts';
import type { MonthForecast } from './month-forecast.ts';
import { type PlanConfig, type PlannedJob, planMonth } from './month-plan.ts';
import { forecastTogether, spentTogether } from './months-together.ts';
import { withWatches } from './watch-planner.ts';

/** Limits of one key and its part of the work. */
export interface KeyPlan {
  /** Undefined: the only key. */
  readonly key: CountedKey | undefined;
  readonly config: PlanConfig;
  readonly jobs: readonly PlannedJob[];
}

/** Splits a limit among keys by their rate. The parts add up to it. */
const partsOf = (ceiling: number | undefined, rates: readonly number[]): (number | undefined)[] => {
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  let [before, given] = [0, 0];
  return rates.map((rate) => {
    if (ceiling === undefined) return undefined;
    before += rate;
    const part = Math.round((ceiling * before) / total) - given;
    given += part;
    return part;
  });
};

/** Lists of a job that a key reads per run, rounded up. */
const listsOf = (
  { lists }: PlannedJob,
  key: OwnKey,
  keys: readonly OwnKey[],
  platforms: readonly Platform[],
): number => {
  const countLists = (some: Platform[]): number => lists?.({ platforms: some }) ?? 0;
  const shared = countLists([]);
  const calls = platforms.reduce(
    (sum, platform) => sum + (countLists([platform]) - shared) * shareOf(platform, key, keys),
    shared * shareOf(undefined, key, keys),
  );
  return Math.ceil(calls - 1e-9);
};

/** Plans of the keys, in their order. A single key gets all of the work. */
export const keyPlans = (
  keys: readonly OwnKey[],
  config: PlanConfig,
  jobs: readonly PlannedJob[],
): KeyPlan[] => {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const { ratePerMinute, callsPerMonth, quotaReset } = only;
    const limits = { ratePerMinute, callsPerMonth, quotaReset };
    return [{ key: only.key, config: { ...config, ...limits }, jobs }];
  }
  const rates = keys.map(({ ratePerMinute }) => ratePerMinute);
  const totalRate = rates.reduce((sum, rate) => sum + rate, 0);
  const growth = partsOf(config.growthCalls, rates);
  const creators = partsOf(config.creatorCalls, rates);
  return keys.map((key, index) => ({
    key: key.key,
    config: {
      ...config,
      ratePerMinute: key.ratePerMinute,
      callsPerMonth: key.callsPerMonth,
      quotaReset: key.quotaReset,
      platforms: [...key.platforms],
      growthCalls: growth[index],
      creatorCalls: creators[index],
    },
    jobs: jobs.map((job) => {
      const lists = listsOf(job, key, keys, config.platforms);
      const { expectedCalls } = job;
      return {
        ...job,
        lists: () => lists,
        ...(expectedCalls === undefined
          ? {}
          : { expectedCalls: (expectedCalls * key.ratePerMinute) / totalRate }),
      };
    }),
  }));
};

export interface KeyMonth extends KeyPlan {
  readonly spent: MonthSpent;
}

/** Source of spent calls, as of `now` (Unix ms). */
interface SpentAt {
  readonly ledgers: LedgerSource;
  readonly now: number;
}

/** Spent calls of each key, in order. Without a lake, none are spent. */
export const spentOfKeys = async (
  lake: Pick<Lake, 'sqlite'> | undefined,
  config: KeysConfig,
  { ledgers, now }: SpentAt,
): Promise<MonthSpent[]> => {
  const spent: MonthSpent[] = [];
  for (const key of keysOf(config)) spent.push(await ledgers.spent(lake, key, now));
  return spent;
};

export const monthsOf = (
  config: PlanConfig & KeysConfig,
  jobs: readonly PlannedJob[],
  spent: readonly MonthSpent[],
): KeyMonth[] =>
  keyPlans(keysOf(config), config, jobs).flatMap((plan, index) => {
    const ofKey = spent[index];
    return ofKey === undefined ? [] : [{ ...plan, spent: ofKey }];
  });

/** Months of all keys, with spent calls from a ledger. */
export const keyMonths = async (
  lake: Pick<Lake, 'sqlite'> | undefined,
  config: PlanConfig & KeysConfig,
  jobs: readonly PlannedJob[],
  at: SpentAt,
): Promise<KeyMonth[]> =>
  monthsOf(config, withWatches(jobs, lake, config, at), await spentOfKeys(lake, config, at));

/** Forecast of all keys together. `running` as in `planMonth`. */
export const planMonths = (
  months: readonly KeyMonth[],
  running: readonly string[] = [],
): MonthForecast =>
  forecastTogether(
    months.map(({ key, jobs, config, spent }) => ({
      name: key?.name,
      plan: planMonth(jobs, config, spent, running),
    })),
    spentTogether(months.map(({ spent }) => spent)).month.limit,
  );
