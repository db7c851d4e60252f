import type { Platform } from '../../../schema/vocabulary.ts';
import type { Config } from '../../base/config/config.ts';
import { platformOfId } from '../../base/wire/fields.ts';
import type { Lake } from '../../lake/open.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import type { CountedKey } from '../../upstream/throttle/counted-key.ts';
import { keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { LedgerSource, MonthSpent } from '../../upstream/throttle/ledger.ts';
import { type JobForecast, type MonthForecast, sumOf } from './month-forecast.ts';
import { type PlannedJob, planMonth } from './month-plan.ts';
import { withWatches } from './watch-planner.ts';

/** Platform of a request; undefined: all platforms. */
export const platformOf = (request: UpstreamRequest): Platform | undefined =>
  request.kind === 'analyze'
    ? platformOfId(request.id)
    : 'platform' in request
      ? request.platform
      : undefined;

/**
 * Keys for a request about a platform: those that serve it. A request about all platforms needs a
 * key that serves all of them, or else uses the first key.
 */
export const keysFor = <K extends OwnKey>(
  platform: Platform | undefined,
  keys: readonly K[],
): readonly K[] => {
  if (platform !== undefined) {
    const serving = keys.filter(({ platforms }) => platforms.includes(platform));
    if (serving.length > 0) return serving;
  }
  const all = new Set(keys.flatMap(({ platforms }) => platforms));
  const whole = keys.filter(({ platforms }) => platforms.length === all.size);
  return whole.length > 0 ? whole : keys.slice(0, 1);
};

/** Part (0 to 1) of a platform's requests that a key makes. Keys share them by their rate. */
const shareOf = (platform: Platform | undefined, key: OwnKey, keys: readonly OwnKey[]): number => {
  const serving = keysFor(platform, keys);
  return serving.includes(key) ? key.ratePerMinute / sumOf(serving, 'ratePerMinute') : 0;
};

/** Limits of one key and its part of the work. */
interface KeyPlan {
  /** Undefined: the only key. */
  readonly key: CountedKey | undefined;
  readonly config: Config;
  readonly jobs: readonly PlannedJob[];
}

/** Splits a limit among keys by their rate. The parts add up to it. */
const partsOf = (ceiling: number | undefined, keys: readonly OwnKey[]): (number | undefined)[] => {
  const total = sumOf(keys, 'ratePerMinute');
  let [before, given] = [0, 0];
  return keys.map(({ ratePerMinute }) => {
    if (ceiling === undefined) return undefined;
    before += ratePerMinute;
    const part = Math.round((ceiling * before) / total) - given;
    given += part;
    return part;
  });
};

/** Plans of the keys, in their order. */
export const keyPlans = (
  keys: readonly OwnKey[],
  config: Config,
  jobs: readonly PlannedJob[],
): KeyPlan[] => {
  const growth = partsOf(config.growthCalls, keys);
  const creators = partsOf(config.creatorCalls, keys);
  const totalRate = sumOf(keys, 'ratePerMinute');
  return keys.map((key, index) => {
    const { ratePerMinute, callsPerMonth, quotaReset, platforms } = key;
    const ofPlatforms = config.platforms.reduce(
      (sum, platform) => sum + shareOf(platform, key, keys),
      0,
    );
    const ofShared = shareOf(undefined, key, keys);
    const planOf = ({ lists = {}, expectedCalls, ...job }: PlannedJob): PlannedJob => {
      const { perPlatform = 0, shared = 0 } = lists;
      return {
        ...job,
        lists: { shared: Math.ceil(perPlatform * ofPlatforms + shared * ofShared - 1e-9) },
        ...(expectedCalls === undefined
          ? {}
          : { expectedCalls: expectedCalls * (ratePerMinute / totalRate) }),
      };
    };
    return {
      key: key.key,
      config: {
        ...config,
        ratePerMinute,
        callsPerMonth,
        quotaReset,
        platforms: [...platforms],
        growthCalls: growth[index],
        creatorCalls: creators[index],
      },
      jobs: jobs.map(planOf),
    };
  });
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
  config: Config,
  { ledgers, now }: SpentAt,
): Promise<MonthSpent[]> => {
  const spent: MonthSpent[] = [];
  for (const key of keysOf(config)) spent.push(await ledgers.spent(lake, key, now));
  return spent;
};

/** @param spent of each key, in order */
export const monthsOf = (
  config: Config,
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
  config: Config,
  jobs: readonly PlannedJob[],
  at: SpentAt,
): Promise<KeyMonth[]> =>
  monthsOf(config, withWatches(jobs, lake, config, at), await spentOfKeys(lake, config, at));

/** All keys as one month: from the earliest start to the earliest end. */
export const spentTogether = (months: readonly MonthSpent[]): MonthSpent => {
  const all = months.map(({ month }) => month);
  return {
    month: {
      startsAt: Math.min(...all.map(({ startsAt }) => startsAt)),
      endsAt: Math.min(...all.map(({ endsAt }) => endsAt)),
      limit: sumOf(all, 'limit'),
      spent: sumOf(all, 'spent'),
      remaining: sumOf(all, 'remaining'),
    },
    byHand: sumOf(months, 'byHand'),
    at: Math.max(...months.map(({ at }) => at)),
  };
};

/** One job over all keys, which work in parallel: the slowest key sets the minutes. */
const jobTogether = (parts: readonly JobForecast[], limit: number): JobForecast => {
  const calls = sumOf(parts, 'calls');
  return {
    job: parts[0]?.job ?? '',
    schedule: parts[0]?.schedule ?? '',
    runs: Math.max(...parts.map(({ runs }) => runs)),
    callsPerRun: sumOf(parts, 'callsPerRun'),
    calls,
    minutesPerRun: Math.max(...parts.map(({ minutesPerRun }) => minutesPerRun)),
    shareOfMonth: calls / limit,
  };
};

/** Sum over all keys. It fits only if it fits for each key, as keys cannot share calls. */
export const forecastTogether = (
  plans: readonly { readonly name: string | undefined; readonly plan: MonthForecast }[],
  limit: number,
): MonthForecast => {
  const all = plans.map(({ plan }) => plan);
  const jobs = Map.groupBy(
    all.flatMap((plan) => plan.jobs),
    ({ job }) => job,
  );
  const spentAt = all.flatMap((plan) => plan.spentAt ?? []);
  return {
    jobs: [...jobs.values()].map((parts) => jobTogether(parts, limit)),
    fixed: sumOf(all, 'fixed'),
    refreshes: sumOf(all, 'refreshes'),
    reserve: sumOf(all, 'reserve'),
    surplus: sumOf(all, 'surplus'),
    fits: all.every(({ fits }) => fits),
    missing: sumOf(all, 'missing'),
    spentAt: spentAt.length === 0 ? null : Math.min(...spentAt),
    advice: plans.flatMap(({ name, plan }) =>
      plans.length === 1 ? plan.advice : plan.advice.map((line) => `Key ${name}: ${line}`),
    ),
  };
};

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
