import type { Job } from '../src/run/plan/job.ts';

/** Asks for the profiles whose videos, shown by one call, are expected to teach most. */
export default {
  name: 'creators',
  schedule: '15 2 * * *',
  stage: 'refreshes',
  plan: ({ refreshes }) => refreshes.creators,
} satisfies Job;
