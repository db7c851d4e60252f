import type { Job } from '../src/run/plan/job.ts';
import { planWatches } from '../src/run/plan/watch-planner.ts';

/** Requests the watches that are due, within their share of the month. */
export default {
  name: 'watch',
  schedule: '35 * * * *',
  stage: 'watches',
  plan: ({ lake, config, clock, watchCalls }) =>
    planWatches(lake, config, { now: clock.now(), calls: watchCalls }),
} satisfies Job;
