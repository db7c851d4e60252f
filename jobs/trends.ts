import { PERIODS } from '../schema/vocabulary.ts';
import { firstPage } from '../src/run/plan/first-page.ts';
import type { Job } from '../src/run/plan/job.ts';

/** Pulls the top videos of the day, week and month of each platform every night. */
export default {
  name: 'trends',
  schedule: '15 2 * * *',
  stage: 'lists',
  lists: { perPlatform: PERIODS.length },
  plan: ({ config }) =>
    config.platforms.flatMap((platform) =>
      PERIODS.map((period) => ({
        request: { kind: 'trends' as const, platform, period, ...firstPage(config) },
      })),
    ),
} satisfies Job;
