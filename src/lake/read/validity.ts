import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import { judgedAt } from './watched-alike.ts';

const NEWEST = 'select max(observed_at) from video_snapshot where observed_at <= ?';

const NEXT = {
  snapshot: 'select min(observed_at) from video_snapshot where observed_at > ?',
  birth: 'select min(created_at) from video where created_at > ?',
  capture: 'select min(completed_at) from capture where completed_at > ?',
  hashtag: 'select min(observed_at) from hashtag_snapshot where observed_at > ?',
  creator: 'select min(observed_at) from creator_snapshot where observed_at > ?',
} as const;

const instantOf = (lake: Lake, sql: string, at: number): number | null =>
  required(prepared(lake, sql, 'number?').get(at));

/** Asks for the next instant at which something comes into view, or leaves a window. */
export interface ChangeQuery {
  /** One of a few for each window. */
  readonly name: string;
  /** The first such instant (Unix ms) after `at`; infinite if there is none. */
  readonly next: (lake: Lake, at: number) => number;
}

const changeOf = (what: keyof typeof NEXT, windowMs: number): ChangeQuery => ({
  name: `${what} ${windowMs}`,
  next: (lake, at) =>
    (instantOf(lake, NEXT[what], at - windowMs) ?? Number.POSITIVE_INFINITY) + windowMs,
});

/** When the next snapshot comes into view. */
export const NEXT_SNAPSHOT = changeOf('snapshot', 0);
const COMING = [
  NEXT_SNAPSHOT,
  ...(['capture', 'hashtag', 'creator'] as const).map((what) => changeOf(what, 0)),
];

/** The newest snapshot of any video at or before `asOf` (Unix ms). */
export const newestSnapshotAt = (lake: Lake, asOf: number): number | null =>
  instantOf(lake, NEWEST, asOf);

/**
 * The first instant after `asOf` at which a response over the windows of `windowsMs` can differ while
 * the lake stays as it is: something seen later comes into view, a snapshot or a video's birth leaves
 * a window, or where two windows are compared, an hour ends, by which it is judged whether the lake
 * watched them alike. Until then the response is the same for every instant asked. `next` answers one
 * query, from the lake or from memory.
 */
export const holdsUntil = (
  asOf: number,
  windowsMs: readonly number[],
  next: (query: ChangeQuery, at: number) => number,
): number =>
  Math.min(
    ...COMING.map((query) => next(query, asOf)),
    ...(windowsMs.length > 1 ? [judgedAt(asOf) + HOUR_MS] : []),
    ...windowsMs.flatMap((windowMs) => [
      next(changeOf('snapshot', windowMs), asOf),
      next(changeOf('birth', windowMs), asOf),
    ]),
  );
