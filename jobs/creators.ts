import type { Job } from '../src/run/plan/job.ts';

/** Pulls the profiles whose videos are expected to teach most per call. */
export default {
  name: 'creators',
  schedule: '15 2 * * *',
  stage: 'refreshes',
  plan: ({ refreshes }) => refreshes.creators,
} satisfies Job;
