import type { Job } from '../src/run/plan/job.ts';

/** Pulls the timelines of the videos that are expected to teach most per call. */
export default {
  name: 'growth',
  schedule: '15 2 * * *',
  stage: 'refreshes',
  plan: ({ refreshes }) => refreshes.growth,
} satisfies Job;
