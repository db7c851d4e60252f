import type { ExpectedSource } from '../../alerts/notify/judge.ts';
import { cronOfJob, type PlanConfig, type PlannedJob } from './month-plan.ts';

/**
 * Jobs with the instant since when they should have answered. A missed slot is caught up at the
 * next one, so a job is stale if it has not answered since the slot before the last.
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
