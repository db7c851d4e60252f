import type { Platform } from '../../schema/vocabulary.ts';
import type { OwnKey } from '../throttle/key-limits.ts';
import { shareOf } from './key-share.ts';
import type { PlanConfig, PlannedJob } from './month-plan.ts';

/** What the month of one key is planned by: its own limits, and the part of the work that it is dealt. */
export interface KeyPlan {
  /** Undefined: the only key. */
  readonly name: string | undefined;
  readonly config: PlanConfig;
  readonly jobs: readonly PlannedJob[];
}

/** A ceiling of all keys, dealt out by their pace; the parts add up to it. */
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

/** Lists of a job that a key reads in one run, rounded up. */
const listsOf = (
  { lists }: PlannedJob,
  key: OwnKey,
  keys: readonly OwnKey[],
  platforms: readonly Platform[],
): number => {
  const of = (some: Platform[]): number => lists?.({ platforms: some }) ?? 0;
  const overAll = of([]);
  const ofPlatforms = platforms.map(
    (platform) => (of([platform]) - overAll) * shareOf(platform, key, keys),
  );
  const calls = ofPlatforms.reduce((sum, part) => sum + part, 0);
  return Math.ceil(calls + overAll * shareOf(undefined, key, keys) - 1e-9);
};

/** How the month of each key is planned, in their order. With one key that is how the month is. */
export const keyPlans = (
  keys: readonly OwnKey[],
  config: PlanConfig,
  jobs: readonly PlannedJob[],
): KeyPlan[] => {
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) {
    const { ratePerMinute, callsPerMonth, quotaReset } = only;
    const limits = { ratePerMinute, callsPerMonth, quotaReset };
    return [{ name: only.key?.name, config: { ...config, ...limits }, jobs }];
  }
  const rates = keys.map(({ ratePerMinute }) => ratePerMinute);
  const growth = partsOf(config.growthCalls, rates);
  const creators = partsOf(config.creatorCalls, rates);
  return keys.map((key, index) => ({
    name: key.key?.name,
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
      return { ...job, lists: () => lists };
    }),
  }));
};
