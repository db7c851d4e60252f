import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import type { ListEntry } from '../read/content-items.ts';
import { prepared } from '../statements.ts';
import type { ListPage } from './list-page.ts';

/** Name of a list for readers, without its platform. */
export const listTitle = ({ list, period }: { list: string; period: string }): string => {
  if (list === 'feed') return 'feed';
  return list === 'import' ? `imported list ${period}` : `trends of the ${period}`;
};

/** A list as it was pulled: the newest that was whole at an instant. */
export interface PulledList {
  readonly key: number; // capture.key
  readonly platform: Platform | '';
  readonly period: string;
  readonly capturedAt: number; // Unix ms; first page
  readonly completedAt: number; // Unix ms; last page; the instant the list is true at
  readonly total: number | null;
}

const LATEST = `select key, platform, period, captured_at as capturedAt, completed_at as completedAt, total
  from capture where list = +@list and platform = +@platform and period = +@period
    and captured_at <= @asOf and completed_at <= @asOf
  order by captured_at desc limit 1`;

/**
 * The newest complete pulled list at `asOf`, if any. A list with missing pages does not count: the
 * one before it stands.
 */
export const latestPulled = (
  lake: Lake,
  which: {
    list: 'feed' | 'trends' | 'hashtags' | 'import';
    platform: Platform | '';
    period: string;
  },
  asOf: number,
): PulledList | undefined =>
  prepared(lake, LATEST, {
    key: 'number',
    platform: 'platform',
    period: 'text',
    capturedAt: 'number',
    completedAt: 'number',
    total: 'number?',
  }).get({ ...which, asOf });

/** A pulled list, and the version of the lake it was read from. */
export interface HeldList {
  readonly pulled: PulledList;
  readonly version: number;
}

/** A page of a pulled list. */
export const pulledListPage = <T>(
  { pulled: { completedAt: asOf }, version }: HeldList,
  page: Pick<ListPage<T>, 'total' | 'held' | 'items'>,
): ListPage<T> => ({ ...page, asOf, pulledAt: asOf, version });

const PAGE = `select video_key as key, rank, score, velocity from ranking
  where capture_key = +? and rank > ? and rank <= ? order by rank`;

/** The entries of ranks `from` + 1 to `to`, in the order they were pulled in. */
export const pulledEntries = (lake: Lake, key: number, from: number, to: number): ListEntry[] =>
  prepared(lake, PAGE, {
    key: 'number',
    rank: 'number',
    score: 'number?',
    velocity: 'number?',
  }).all(key, from, to);

const DEEPEST = `select coalesce(max(rank), 0) from ranking where capture_key = ?`;

/** The deepest rank held of a pulled list; 0 when it was empty. */
export const deepestRank = (lake: Lake, key: number): number =>
  required(prepared(lake, DEEPEST, 'number').get(key));
