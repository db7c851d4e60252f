import { firstPage } from '../src/run/plan/first-page.ts';
import type { Job } from '../src/run/plan/job.ts';

/** Pulls the trending hashtags of all platforms four times a day. */
export default {
  name: 'hashtags',
  schedule: '15 2,8,14,20 * * *',
  stage: 'lists',
  lists: { shared: 1 },
  plan: ({ config }) => [
    { request: { kind: 'hashtags', dateRange: config.hashtagRange, ...firstPage(config) } },
  ],
} satisfies Job;
