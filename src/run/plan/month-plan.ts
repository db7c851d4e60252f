import type { RefreshJob } from '../../../schema/vocabulary.ts';
import type { ExpectedSource } from '../../alerts/notify/judge.ts';
import type { Config } from '../../base/config/config.ts';
import { pageItems } from '../../base/config/upstream-settings.ts';
import { NIGHTLY_MS } from '../../base/durations.ts';
import type { Origin } from '../../lake/origin.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import { ROLLING_MS } from '../../upstream/throttle/month.ts';
import { type Cron, CronExpression } from './cron.ts';
import type { Job } from './job.ts';
import {
  callsOverTime,
  forecastMonth,
  type JobLoad,
  type MonthForecast,
} from './month-forecast.ts';

export interface ScheduledJob {
  readonly name: string;
  readonly schedule: string;
  /** Job whose changed schedule also applies to this one. */
  readonly schedulesWith?: string;
}

/** Configured cron expression, or `off`. */
const scheduleOf = (
  { name, schedule, schedulesWith = name }: ScheduledJob,
  { schedules }: Pick<Config, 'schedules'>,
): string => {
  const given = schedules as Record<string, string>;
  return given[name] ?? given[schedulesWith] ?? schedule;
};

/**
 * Configured schedule of a job; undefined if it is off.
 * @throws UsageError naming the setting when it is not a cron expression
 */
export const cronOfJob = (
  job: ScheduledJob,
  config: Pick<Config, 'schedules' | 'timezone'>,
): Cron | undefined => {
  const schedule = scheduleOf(job, config);
  return schedule === 'off' ? undefined : new CronExpression(job.name, schedule, config.timezone);
};

/** A job as far as a plan needs to know it. */
export type PlannedJob = Pick<Job, 'name' | 'schedule' | 'stage' | 'lists' | 'expectedCalls'>;

const ceilingOf = (job: PlannedJob, config: Config): number =>
  ({ growth: config.growthCalls, creators: config.creatorCalls })[job.name as RefreshJob] ??
  Number.POSITIVE_INFINITY;

/** Maximum calls of one run of a list job. */
const listCalls = ({ lists = {} }: PlannedJob, config: Config): number =>
  ((lists.perPlatform ?? 0) * config.platforms.length + (lists.shared ?? 0)) *
  Math.ceil(config.listItems / pageItems(config));

const loadsOf = (
  jobs: readonly PlannedJob[],
  config: Config,
  { month, at }: MonthSpent,
  running: readonly string[],
): JobLoad[] => {
  const endsAt = config.quotaReset === 'rolling' ? at + ROLLING_MS : month.endsAt;
  return jobs.map((job): JobLoad => {
    const slots = cronOfJob(job, config)?.slots(at, endsAt) ?? [];
    const refreshes = job.stage === 'refreshes';
    return {
      job: job.name,
      stage: job.stage,
      schedule: scheduleOf(job, config),
      runsAt: running.includes(job.name) ? [at, ...slots] : slots,
      callsPerRun: refreshes
        ? ceilingOf(job, config)
        : (job.expectedCalls ?? listCalls(job, config)),
      share: refreshes ? (config.shares[job.name as RefreshJob] ?? 0) : 0,
    };
  });
};

const forecast = (
  jobs: readonly PlannedJob[],
  config: Config,
  spent: MonthSpent,
  running: readonly string[],
) => {
  const { quotaReset, reservePercent, ratePerMinute } = config;
  const { month, byHand } = spent;
  const loads = loadsOf(jobs, config, spent, running);
  // in a rolling month, calls spent so far become free again within it
  const remaining = quotaReset === 'rolling' ? month.limit : month.remaining;
  const reserve = Math.max(0, Math.floor((month.limit * reservePercent) / 100) - byHand);
  const plan = forecastMonth(loads, { limit: month.limit, remaining, reserve, ratePerMinute });
  return { loads, remaining, plan };
};

/**
 * Forecast of the rest of the month.
 * @param running names of jobs that run now, in addition to their slots
 */
export const planMonth = (
  jobs: readonly PlannedJob[],
  config: Config,
  spent: MonthSpent,
  running: readonly string[] = [],
): MonthForecast => forecast(jobs, config, spent, running).plan;

export interface CallsLeft {
  readonly at: number;
  readonly left: number;
}

/** The forecast as a line: calls left after each run until the end of the month. */
export const planLine = (
  jobs: readonly PlannedJob[],
  config: Config,
  spent: MonthSpent,
): CallsLeft[] => {
  const { loads, remaining, plan } = forecast(jobs, config, spent, []);
  const perRun = new Map(plan.jobs.map(({ job, callsPerRun }) => [job, callsPerRun]));
  const runs = callsOverTime(
    loads.map(({ job, runsAt }) => ({ runsAt, callsPerRun: perRun.get(job) ?? 0 })),
  );
  let left = remaining;
  const line = [{ at: spent.at, left }];
  for (const { at, calls } of runs) {
    left = Math.max(0, left - calls);
    line.push({ at, left });
  }
  return line;
};

/**
 * Calls per refresh job in a run that starts now. Lists and the reserve come first, the rest is
 * spread over the month's remaining runs.
 * @param jobs all jobs
 */
export const refreshBudget = (
  spent: MonthSpent,
  config: Config,
  jobs: readonly PlannedJob[],
): Record<RefreshJob, number> => {
  const refreshes = jobs.filter(({ stage }) => stage === 'refreshes').map(({ name }) => name);
  const plan = planMonth(jobs, config, spent, refreshes);
  const callsOf = (job: RefreshJob): number =>
    Math.min(plan.jobs.find((each) => each.job === job)?.callsPerRun ?? 0, spent.month.remaining);
  return { growth: callsOf('growth'), creators: callsOf('creators') };
};

/**
 * Jobs with the instant since when they should have answered. A missed slot is caught up at the
 * next one, so a job is stale if it has not answered since the slot before the last. A demo has
 * nights instead of slots (`origin`).
 */
export const expectedSources = (
  jobs: readonly PlannedJob[],
  config: Config,
  now: number,
  origin: Origin = 'upstream',
): ExpectedSource[] => {
  const latest = origin === 'upstream' ? now : now - NIGHTLY_MS;
  return jobs.flatMap((job) => {
    const cron = cronOfJob(job, config);
    const last = cron?.previousSlot(now);
    const before = last === undefined ? undefined : cron?.previousSlot(last - 1);
    return before === undefined ? [] : [{ job: job.name, staleAt: Math.min(before, latest) }];
  });
};
