import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** Snapshots of one platform on one UTC day; `day` counts from 1970. */
export interface DayOfSnapshots {
  readonly platform: string;
  readonly day: number;
  readonly snapshots: number;
}

const SNAPSHOTS_BY_DAY = `
  select v.platform as platform, s.observed_at / ${DAY_MS} as day, count(*) as snapshots
  from video_snapshot s join video v on v.key = s.video_key
  where s.observed_at < ? group by 1, 2`;

/** Number of snapshots of each platform and day before an instant (Unix ms). */
export const snapshotsByDay = (lake: Lake, beforeAt: number): DayOfSnapshots[] =>
  prepare(lake.sqlite, SNAPSHOTS_BY_DAY, {
    platform: 'platform',
    day: 'number',
    snapshots: 'number',
  }).all(beforeAt);

/**
 * The last day of the stretch of `length` days that shows most: many platforms on many days count
 * for more than many snapshots on few (a day of a platform is worth the logarithm of its
 * snapshots). Of equal ones the newest. Undefined when there are no snapshots.
 */
export const densestStretch = (
  days: readonly DayOfSnapshots[],
  length: number,
): number | undefined => {
  const worth = new Map<number, number>();
  for (const { day, snapshots } of days)
    worth.set(day, (worth.get(day) ?? 0) + Math.log1p(snapshots));
  let best: { day: number; worth: number } | undefined;
  for (const end of [...worth.keys()].sort((a, b) => b - a)) {
    let sum = 0;
    for (let day = end - length + 1; day <= end; day++) sum += worth.get(day) ?? 0;
    if (best === undefined || sum > best.worth) best = { day: end, worth: sum };
  }
  return best?.day;
};
