import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { tagKeysThen } from '../read/as-of-sql.ts';
import { watchedAlike } from '../read/watched-alike.ts';
import { prepared } from '../statements.ts';
import { knownOr, type Ranking, rankingOf } from './ranking.ts';
import { SEEN, type StartFrom, spanPlan } from './window-snapshots.ts';

/** Videos with tags to count: of a platform or all, seen in the window before `asOf` (Unix ms). */
export interface HashtagRankingQuery {
  readonly platform: Platform | '';
  readonly windowMs: number;
  readonly asOf: number;
  /** Number of ranks wanted. */
  readonly depth: number;
}

const FIRST_PART = 2;
/**
 * Numbers of one entry: key, videos of the window before (NaN: not known), then of each platform
 * videos and views (NaN: not known).
 */
export const HASHTAG_ROW = FIRST_PART + 2 * PLATFORMS.length;

const taggedIn = (seen: string): string => `
  select v.platform, l.observed_at > @middle, seen.first_at <= @middle, l.views, ${tagKeysThen('@to')}
  from (${seen}) seen cross join video v on v.key = seen.key
  cross join video_snapshot l on l.video_key = seen.key and l.observed_at = seen.last_at
  where @platform = '' or v.platform = @platform`;

/** Videos seen from @from to @to: in the window that begins @middle, in the one before, or in both. */
const TAGGED = { snapshots: taggedIn(SEEN.snapshots), videos: taggedIn(SEEN.videos) } as const;
const TAGGED_ROW = ['platform', 'number', 'number', 'number?', 'text?'] as const;

const LARGEST_KEY = 'select coalesce(max(key), 0) from hashtag';

/** Counts two windows, which `middle` divides, by hashtag and platform: rows by key, 64 bytes each. */
const countTags = (
  lake: Lake,
  windows: { platform: Platform | ''; from: number; middle: number; to: number },
  wanted: StartFrom | undefined,
): Float64Array => {
  const largest = required(prepared(lake, LARGEST_KEY, 'number').get());
  const rows = new Float64Array(HASHTAG_ROW * (1 + largest));
  const start = wanted ?? spanPlan(lake, windows).start;
  const tagged = prepared(lake, TAGGED[start], TAGGED_ROW).iterate(windows);
  for (const [platform, isInside, isBefore, views, keys] of tagged) {
    const part = FIRST_PART + 2 * PLATFORMS.indexOf(platform);
    for (const key of keys ? keys.split(',') : []) {
      const row = HASHTAG_ROW * Number(key);
      rows[row + 1] = (rows[row + 1] as number) + isBefore;
      if (isInside !== 1) continue;
      const volume = rows[row + part] as number;
      const known = volume === 0 ? Number.NaN : rows[row + part + 1];
      rows[row + part] = volume + 1;
      rows[row + part + 1] = views === null ? (known as number) : knownOr(known, 0) + views;
    }
  }
  return rows;
};

/** Sum of two sums; null if both are unknown, or if it exceeds 2^53. */
const plus = (a: number | null, b: number | null): number | null => {
  const sum = (a ?? 0) + (b ?? 0);
  return (a === null && b === null) || !Number.isSafeInteger(sum) ? null : sum;
};

const volumeOf = (row: Float64Array): number => {
  let sum = 0;
  for (let part = FIRST_PART; part < HASHTAG_ROW; part += 2) sum += row[part] as number;
  return sum;
};

const viewsOfPart = (row: Float64Array, part: number): number | null =>
  row[part] === 0 ? null : plus(knownOr(row[part + 1], null), null);

const viewsOf = (row: Float64Array): number | null => {
  let sum: number | null = null;
  for (let part = FIRST_PART; part < HASHTAG_ROW; part += 2)
    sum = plus(sum, viewsOfPart(row, part));
  return sum;
};

/**
 * Tags by the number of distinct videos seen with them in the window; equal ones by the views of those
 * videos, then by the order they were first seen in. The window before that one is counted only where
 * the lake watched both alike.
 */
export const rankHashtags = (
  lake: Lake,
  query: HashtagRankingQuery,
  start?: StartFrom,
): Ranking => {
  const { platform, windowMs, asOf, depth } = query;
  const isAlike = watchedAlike(lake, query);
  const middle = asOf - windowMs;
  const from = isAlike ? middle - windowMs : middle; // incomparable windows are not read
  const counts = countTags(lake, { platform, from, middle, to: asOf }, start);
  const rowOf = (key: number): Float64Array =>
    counts.subarray(HASHTAG_ROW * key, HASHTAG_ROW * (key + 1));
  const tags = Uint32Array.from({ length: counts.length / HASHTAG_ROW }, (_, key) => key).filter(
    (key) => volumeOf(rowOf(key)) > 0,
  );
  const leading = (key: number): number => volumeOf(rowOf(key));
  return rankingOf(tags, {
    depth,
    width: HASHTAG_ROW,
    leading,
    compare: (a, b) =>
      leading(b) - leading(a) || (viewsOf(rowOf(b)) ?? -1) - (viewsOf(rowOf(a)) ?? -1) || a - b,
    rowOf: (key) => {
      const row = rowOf(key);
      row[0] = key;
      if (!isAlike) row[1] = Number.NaN;
      return row;
    },
  });
};

const TAG = 'select tag from hashtag where key = ?';

/** Rows of a ranking as items. */
export const hashtagItems = (lake: Lake, rows: Float64Array): HashtagItem[] =>
  Array.from({ length: rows.length / HASHTAG_ROW }, (_, index) => {
    const row = rows.subarray(HASHTAG_ROW * index, HASHTAG_ROW * (index + 1));
    const [key, before] = row;
    const volume = volumeOf(row);
    const platforms = PLATFORMS.flatMap((platform, position) => {
      const part = FIRST_PART + 2 * position;
      const videos = row[part] as number;
      return videos === 0 ? [] : [{ platform, volume: videos, views: viewsOfPart(row, part) }];
    });
    return {
      tag: required(prepared(lake, TAG, 'text').get(key)),
      volume,
      views: viewsOf(row),
      change: before ? volume / before - 1 : null, // unknown after 0 or an unknown number
      platforms,
      sampled: true,
    };
  });
