import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

const DENSEST = `
  with days as (
    select day, sum(ln(1 + snapshots)) as worth
    from (
      select s.observed_at / ${DAY_MS} as day, count(*) as snapshots
      from video_snapshot s join video v on v.key = s.video_key
      where s.observed_at < @beforeAt group by 1, v.platform)
    group by day)
  select day from days last
  order by (select sum(worth) from days where day between last.day - @length + 1 and last.day) desc, day desc
  limit 1`;

/**
 * The last UTC day, counted from 1970, of the stretch of `length` days before an instant (Unix ms) that
 * shows most: many platforms on many days count for more than many snapshots on few (a day of a
 * platform is worth the logarithm of its snapshots). Of equal ones the newest. Undefined when there
 * are no snapshots.
 */
export const densestStretch = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  beforeAt: number,
  length: number,
): number | undefined => prepare(sqlite, DENSEST, 'number').get({ beforeAt, length });
