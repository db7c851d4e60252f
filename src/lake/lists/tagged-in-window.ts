import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { tagsThen } from '../read/tags-then.ts';
import { prepared } from '../statements.ts';
import type { TaggedVideo } from './tag-counts.ts';
import { type StartFrom, spanPlan } from './window-snapshots.ts';

/** A window and the one before it: after `before` up to `from`, and up to `to` (Unix ms). */
export interface Windows {
  readonly platform: Platform | ''; // '' for all
  readonly before: number; // `from` where the window before is not wanted
  readonly from: number;
  readonly to: number;
}

const TAGS = tagsThen('@to');
const OF_PLATFORM = `(@platform = '' or v.platform = @platform)`;

/** Videos seen in the window, with their views as last known there, and in the one before. */
const TAGGED: Readonly<Record<StartFrom, readonly string[]>> = {
  snapshots: [
    `with seen as materialized (
       select s.video_key as key, max(s.observed_at) as last_at
       from video_snapshot s indexed by video_snapshot_observed_at
       where s.observed_at > @from and s.observed_at <= @to group by s.video_key)
     select v.platform, 1, 0, l.views, ${TAGS} from seen cross join video v on v.key = seen.key
     cross join video_snapshot l on l.video_key = seen.key and l.observed_at = seen.last_at
     where ${OF_PLATFORM}`,
    `with seen as materialized (
       select distinct s.video_key as key from video_snapshot s indexed by video_snapshot_observed_at
       where s.observed_at > @before and s.observed_at <= @from)
     select v.platform, 0, 1, null, ${TAGS} from seen cross join video v on v.key = seen.key
     where ${OF_PLATFORM}`,
  ],
  videos: [
    `select v.platform, l.observed_at > @from, exists (select 1 from video_snapshot n
       where n.video_key = v.key and n.observed_at > @before and n.observed_at <= @from), l.views, ${TAGS}
     from video v not indexed cross join video_snapshot l on l.video_key = v.key and l.observed_at =
       (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @to)
     where ${OF_PLATFORM} and l.observed_at > @before`,
  ],
};

const ROW = ['platform', 'number', 'number', 'number?', 'text?'] as const;

/** The tagged videos of two windows, one or two rows each; both starts give the same. */
export function* taggedInWindows(
  lake: Lake,
  windows: Windows,
  start?: StartFrom,
): Generator<TaggedVideo> {
  const chosen = start ?? spanPlan(lake, { from: windows.before, to: windows.to }).start;
  for (const sql of TAGGED[chosen]) yield* prepared(lake, sql, ROW).iterate(windows);
}
