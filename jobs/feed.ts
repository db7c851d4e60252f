import { firstPage } from '../src/run/plan/first-page.ts';
import type { Job } from '../src/run/plan/job.ts';

/**
 * Copies each platform's feed. One call for every hundred items and platform; further pages are
 * planned as they are found. Hourly: the feed only knows now.
 */
export default {
  name: 'feed',
  schedule: '5 * * * *',
  stage: 'lists',
  lists: ({ platforms }) => platforms.length,
  plan: ({ config }) =>
    config.platforms.map((platform) => ({
      request: { kind: 'feed', platform, dateRange: config.feedRange, ...firstPage(config) },
    })),
} satisfies Job;
