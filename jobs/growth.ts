import type { Job } from '../src/run/plan/job.ts';

/** Asks for the timelines of the videos where one call is expected to teach most. */
export default {
  name: 'growth',
  schedule: '15 2 * * *',
  stage: 'refreshes',
  plan: ({ refreshes }) => refreshes.growth,
} satisfies Job;
