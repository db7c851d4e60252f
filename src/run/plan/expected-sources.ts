import type { ExpectedSource } from '../../alerts/notify/judge.ts';
import { NIGHTLY_MS } from '../../base/durations.ts';
import type { Origin } from '../../lake/origin.ts';
import { cronOfJob, type PlanConfig, type PlannedJob } from './month-plan.ts';

/**
 * Jobs with the instant since when they should have answered. A missed slot is caught up at the
 * next one, so a job is stale if it has not answered since the slot before the last. A demo has
 * nights instead of slots (`origin`).
 */
export const expectedSources = (
  jobs: readonly PlannedJob[],
  config: PlanConfig,
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
