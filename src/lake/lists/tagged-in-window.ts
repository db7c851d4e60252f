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

/**
 * True if video `v`, last seen with `l`, is (or was) in a window that opens at `from`, and in the
 * one before.
 */
const standing = (verb: 'is' | 'was', before: string, from: string): string =>
  `l.observed_at > ${from} as ${verb}_inside, exists (select 1 from video_snapshot n
    where n.video_key = v.key and n.observed_at > ${before} and n.observed_at <= ${from}) as ${verb}_before`;
const LAST = `
  cross join video_snapshot l on l.video_key = v.key and l.observed_at =
    (select max(n.observed_at) from video_snapshot n where n.video_key = v.key and n.observed_at <= @to)
  where ${OF_PLATFORM}`;

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
    `select v.platform, ${standing('is', '@before', '@from')}, l.views, ${TAGS}
     from video v not indexed ${LAST} and l.observed_at > @before`,
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

/** Videos of @keys with another place in windows that opened at @wasFrom. */
const MOVED = `
  select v.platform, v.was_inside, v.was_before, v.is_inside, v.is_before, v.views, ${TAGS}
  from (
    select v.key as key, v.platform as platform, l.views as views, ${standing('is', '@before', '@from')},
      ${standing('was', '@wasBefore', '@wasFrom')}
    from json_each(@keys) k cross join video v on v.key = k.value ${LAST}
  ) v
  where v.was_inside <> v.is_inside or v.was_before <> v.is_before`;

/** A video that stands otherwise in two windows than in two earlier ones. */
export interface MovedVideo {
  readonly was: TaggedVideo;
  readonly is: TaggedVideo;
}

const MOVED_ROW = ['platform', 'number', 'number', 'number', 'number', 'number?', 'text?'] as const;

/**
 * The videos among `keys` that stand otherwise in the windows `is` than in `was`. Nothing was seen
 * between the ends of both, and no tag changed.
 */
export function* movedBetween(
  lake: Lake,
  { was, is }: { was: Windows; is: Windows },
  keys: readonly number[],
): Generator<MovedVideo> {
  const rows = prepared(lake, MOVED, MOVED_ROW).iterate({
    ...is,
    wasBefore: was.before,
    wasFrom: was.from,
    keys: JSON.stringify(keys),
  });
  for (const [platform, wasInside, wasBefore, isInside, isBefore, views, tags] of rows)
    yield {
      was: [platform, wasInside, wasBefore, views, tags],
      is: [platform, isInside, isBefore, views, tags],
    };
}
