import { firstPage } from '../src/run/plan/first-page.ts';
import type { Job } from '../src/run/plan/job.ts';

/** Pulls the feed of each platform, one call per 100 items. Hourly, because the feed has no history. */
export default {
  name: 'feed',
  schedule: '5 * * * *',
  stage: 'lists',
  lists: { perPlatform: 1 },
  plan: ({ config }) =>
    config.platforms.map((platform) => ({
      request: { kind: 'feed', platform, dateRange: config.feedRange, ...firstPage(config) },
    })),
} satisfies Job;
