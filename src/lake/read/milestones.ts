import { VIEW_MILESTONES } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { prepared } from '../statements.ts';

/** When a video reached a count of views, as far as it is known. Instants are Unix ms. */
export interface Milestone {
  readonly milestone: number; // views
  /** `before`: above it when first seen; `not yet`: below it when last seen. */
  readonly state: 'reached' | 'before' | 'not yet';
  /** Interpolated on a straight line; null unless reached. */
  readonly reachedAt: number | null;
  /** From publishing to `reachedAt`; null unless both are known. */
  readonly hours: number | null;
  /** Age at the last snapshot below it, and at the first that had it. */
  readonly hoursAtLeast: number | null;
  readonly hoursAtMost: number | null;
}

/** View `video_milestones` for one video, from the snapshots until an instant. */
const MILESTONES = `
  select m.milestone,
    case when u.video_key is null then 'not yet' when d.video_key is null then 'before' else 'reached' end as state,
    d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) / (u.views - d.views) as reachedAt,
    (d.observed_at + (u.observed_at - d.observed_at) * (m.milestone - d.views) * 1.0 / (u.views - d.views)
      - v.created_at) / 3600000.0 as hours,
    (d.observed_at - v.created_at) / 3600000.0 as hoursAtLeast,
    (u.observed_at - v.created_at) / 3600000.0 as hoursAtMost
  from (${VIEW_MILESTONES.map((views) => `select ${views} as milestone`).join(' union all ')}) m
  cross join video v
  left join video_snapshot u on u.video_key = v.key and u.observed_at = (
    select min(n.observed_at) from video_snapshot n
    where n.video_key = v.key and n.views >= m.milestone and n.observed_at <= @asOf)
  left join video_snapshot d on d.video_key = v.key and d.observed_at = (
    select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.views > 0
      and n.views < m.milestone and n.observed_at < coalesce(u.observed_at, @asOf + 1))
  where v.key = +@videoKey and (u.video_key is not null or d.video_key is not null)
  order by m.milestone`;

/** Milestones of a video as of an instant. See view `video_milestones`. */
export const milestones = (lake: Lake, videoKey: number, asOf: number): Milestone[] =>
  prepared<Milestone>(lake, MILESTONES, {
    milestone: 'number',
    state: 'text',
    reachedAt: 'number?',
    hours: 'number?',
    hoursAtLeast: 'number?',
    hoursAtMost: 'number?',
  }).all({ videoKey, asOf });
