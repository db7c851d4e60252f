import type { ExpectedSource } from '../../alerts/notify/judge.ts';
import { cronOfJob, type PlanConfig, type PlannedJob } from './month-plan.ts';

/**
 * Which sources should have answered, and since when by `now`: a slot that was missed is caught up at
 * the next, so one that did not answer since the last slot but one is stale.
 */
export const expectedSources = (
  jobs: readonly PlannedJob[],
  config: PlanConfig,
  now: number,
): ExpectedSource[] =>
  jobs.flatMap((job) => {
    const cron = cronOfJob(job, config);
    const last = cron?.previousSlot(now);
    const before = last === undefined ? undefined : cron?.previousSlot(last - 1);
    return before === undefined ? [] : [{ job: job.name, staleAt: before }];
  });
