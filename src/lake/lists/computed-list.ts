import type { Period, Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { ContentItem, HashtagItem } from '../../base/wire/shapes.ts';
import type { Lake } from '../open.ts';
import { contentItems } from '../read/content-items.ts';
import { holdsUntil } from '../read/validity.ts';
import { HASHTAG_ROW, hashtagItems, rankHashtags } from './hashtag-ranking.ts';
import { KEPT_DEPTH, type Ranking } from './ranking.ts';
import { rankVideos, VIDEO_ROW, videoEntries } from './video-ranking.ts';
import { snapshotsWithin } from './window-snapshots.ts';

// Lists that are computed from observations. Queries and results are plain data, so that a list may be
// computed in another thread.

/** The rolling window of each period of `GET /trends`. */
export const PERIOD_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

/** A list to compute. */
export type ListQuery =
  | { readonly list: 'feed'; readonly platform: Platform; readonly windowMs: number }
  | { readonly list: 'trends'; readonly platform: Platform; readonly period: Period }
  | { readonly list: 'hashtags'; readonly platform: Platform | ''; readonly windowMs: number };

/** Type of a list's items. */
export type ItemOf<Q extends ListQuery> = Q extends { readonly list: 'hashtags' }
  ? HashtagItem
  : ContentItem;

/** The list wanted, the instant (Unix ms), and the part of it to make items of. */
export interface ListRowsQuery<Q extends ListQuery = ListQuery> {
  readonly wanted: Q;
  readonly asOf: number;
  /** Items before the wanted part, and how many are wanted. */
  readonly from: number;
  readonly count: number;
}

/** A list as computed, all of it from one instant of the lake. */
export interface ComputedList {
  readonly total: number;
  /** Its first `KEPT_DEPTH` ranks, for `itemsOf`. */
  readonly rows: Float64Array;
  /** The part that was asked for. */
  readonly items: (ContentItem | HashtagItem)[];
  /** Unix ms; until then, the lake unchanged, the list is the same. */
  readonly until: number;
}

const windowOf = (wanted: ListQuery): number =>
  wanted.list === 'trends' ? PERIOD_MS[wanted.period] : wanted.windowMs;

/** Windows before its instant that a list is made from. */
export const windowsOf = (wanted: ListQuery): number[] => {
  const windowMs = windowOf(wanted);
  return wanted.list === 'hashtags' ? [windowMs, 2 * windowMs] : [windowMs];
};

/** Numbers that make one entry of a list. */
export const rowWidth = ({ list }: ListQuery): number =>
  list === 'hashtags' ? HASHTAG_ROW : VIDEO_ROW;

/** The snapshots that a list is computed from, counted up to `most`: what it costs. */
export const snapshotsOf = (
  lake: Lake,
  { wanted, asOf }: Pick<ListRowsQuery, 'wanted' | 'asOf'>,
  most: number,
): number => snapshotsWithin(lake, { from: asOf - Math.max(...windowsOf(wanted)), to: asOf }, most);

const rank = (lake: Lake, wanted: ListQuery, asOf: number, depth: number): Ranking => {
  const query = { windowMs: windowOf(wanted), asOf, depth };
  if (wanted.list === 'hashtags')
    return rankHashtags(lake, { ...query, platform: wanted.platform });
  const by = wanted.list === 'feed' ? 'score' : 'gain';
  return rankVideos(lake, { ...query, platform: wanted.platform, by });
};

/** The items of some rows of a list as of an instant; `before` items come before them. */
export const itemsOf = (
  lake: Lake,
  { list }: ListQuery,
  { rows, before, asOf }: { rows: Float64Array; before: number; asOf: number },
): (ContentItem | HashtagItem)[] =>
  list === 'hashtags'
    ? hashtagItems(lake, rows)
    : contentItems(lake, videoEntries(rows, before), asOf);

/** Computes a list from one state of the lake. */
export const computeList = (
  lake: Lake,
  { wanted, asOf, from, count }: ListRowsQuery,
): ComputedList =>
  lake.sqlite.transaction(() => {
    const { total, rows } = rank(lake, wanted, asOf, Math.max(KEPT_DEPTH, from + count));
    const width = rowWidth(wanted);
    const part = rows.subarray(width * from, width * (from + count));
    return {
      total,
      rows: rows.slice(0, width * KEPT_DEPTH), // a copy: the other ranks are not sent between threads
      items: itemsOf(lake, wanted, { rows: part, before: from, asOf }),
      until: holdsUntil(lake, asOf, windowsOf(wanted)),
    };
  })();
