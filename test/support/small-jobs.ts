import { JOBS } from '../../jobs/all-jobs.ts';
import type { Job, PlanContext } from '../../src/run/plan/job.ts';

// The lists as they are pulled, and snapshots chosen by a rule so plain that a small run always makes
// the same calls: most views in this run's own lists. What the budget would choose is its own tests' matter.

const LISTED = `
  select distinct v.id, v.platform, v.user, v.views as news
  from capture c join ranking r on r.capture_key = c.key join video v on v.key = r.video_key
  where c.run_id = ? and v.views > 0`;

const rowsOf = <T>({ lake, runId }: PlanContext, sql: string): T[] =>
  lake.sqlite.prepare(sql).all(runId) as T[];

const growth: Job = {
  name: 'growth',
  schedule: '35 2 * * *',
  stage: 'refreshes',
  plan: (context) =>
    rowsOf<{ id: string; platform: 'tiktok' }>(
      context,
      `${LISTED} order by news desc, id limit 3`,
    ).map(({ id, platform }) => ({ request: { kind: 'growth', id, platform } })),
};

const creators: Job = {
  name: 'creators',
  schedule: '45 2 * * *',
  stage: 'refreshes',
  plan: (context) =>
    rowsOf<{ platform: 'tiktok'; handle: string }>(
      context,
      `select platform, user as handle from (${LISTED}) where user <> ''
       group by platform, user order by sum(news) desc, platform, user limit 2`,
    ).map(({ platform, handle }) => ({ request: { kind: 'creator', platform, handle } })),
};

/** Feed, trends and hashtags as in the product; three timelines and two profiles. */
export const SMALL_JOBS: readonly Job[] = [
  ...JOBS.filter((job) => job.stage === 'lists'),
  growth,
  creators,
];
