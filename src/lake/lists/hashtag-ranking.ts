import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { watchedAlike } from '../read/watched-alike.ts';
import { prepared } from '../statements.ts';
import { knownOr } from './number-column.ts';
import { type Ranking, rankingOf } from './ranking.ts';
import { TagCounts } from './tag-counts.ts';
import { taggedInWindows } from './tagged-in-window.ts';
import type { StartFrom } from './window-snapshots.ts';

/** Videos with tags to count: of a platform or all, seen inside a window. */
export interface HashtagRankingQuery {
  readonly platform: Platform | '';
  readonly windowMs: number;
}

/**
 * Numbers of one entry: key, videos of the window before (NaN: not known), then of each platform
 * videos and views.
 */
export const HASHTAG_ROW = 2 + 2 * PLATFORMS.length;

/** Sum of two sums; null where nothing is known, or past what a count can state. */
const plus = (a: number | null, b: number | null): number | null => {
  const sum = (a ?? 0) + (b ?? 0);
  return (a === null && b === null) || !Number.isSafeInteger(sum) ? null : sum;
};

type Part = HashtagItem['platforms'][number];

const partsOf = (row: ArrayLike<number>): Part[] =>
  PLATFORMS.flatMap((platform, index) => {
    const volume = row[2 + 2 * index] as number;
    const views = knownOr(row[3 + 2 * index], null);
    return volume === 0 ? [] : [{ platform, volume, views: plus(views, null) }];
  });

const viewsOf = (parts: readonly Part[]): number | null =>
  parts.reduce<number | null>((sum, part) => plus(sum, part.views), null);

/** Views of a tag as `viewsOf` computes them, without an object per tag. */
const shownViewsOf = (counts: TagCounts, key: number): number | null => {
  let sum: number | null = null;
  for (let platform = 0; platform < PLATFORMS.length; platform++)
    sum = plus(sum, plus(counts.viewsOf(key, platform), null));
  return sum;
};

/**
 * Tags by the number of distinct videos seen with them in the window before `asOf` (Unix ms); equal ones
 * by the views of those videos, then by the order they were first seen in. The window before that
 * one is counted only where the lake watched both alike.
 */
export const rankHashtags = (
  lake: Lake,
  query: HashtagRankingQuery,
  asOf: number,
  start?: StartFrom,
): Ranking => {
  const isAlike = watchedAlike(lake, { ...query, asOf });
  const from = asOf - query.windowMs;
  const before = isAlike ? from - query.windowMs : from; // incomparable windows are not read
  const counts = new TagCounts(lake);
  const windows = { platform: query.platform, before, from, to: asOf };
  for (const video of taggedInWindows(lake, windows, start)) counts.count(video);
  const tags = counts.inside();
  const row = (key: number): number[] => [
    key,
    isAlike ? counts.beforeOf(key) : Number.NaN,
    ...counts.partsOf(key),
  ];
  const largest = tags.at(-1) ?? 0;
  const [volumes, views] = [new Uint32Array(1 + largest), new Float64Array(1 + largest)]; // by key
  for (const key of tags) {
    volumes[key] = counts.volumeOf(key);
    views[key] = shownViewsOf(counts, key) ?? -1;
  }
  const compare = (a: number, b: number): number =>
    (volumes[b] as number) - (volumes[a] as number) ||
    (views[b] as number) - (views[a] as number) ||
    a - b;
  const leading = (key: number): number => volumes[key] as number;
  return rankingOf(tags, compare, { width: HASHTAG_ROW, leading, rowOf: row });
};

const TAG = 'select tag from hashtag where key = ?';

/** Rows of a ranking as items. */
export const hashtagItems = (lake: Lake, rows: Float64Array): HashtagItem[] =>
  Array.from({ length: rows.length / HASHTAG_ROW }, (_, index) => {
    const row = rows.subarray(HASHTAG_ROW * index, HASHTAG_ROW * (index + 1));
    const [key, before] = row;
    const platforms = partsOf(row);
    const volume = platforms.reduce((sum, part) => sum + (part.volume ?? 0), 0);
    return {
      tag: required(prepared(lake, TAG, 'text').get(key)),
      volume,
      views: viewsOf(platforms),
      change: before ? volume / before - 1 : null, // neither after 0 nor after what is not known
      platforms,
      sampled: true,
    };
  });
