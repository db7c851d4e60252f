import type { Lake } from './open.ts';
import { statement } from './statements.ts';

const NEXT_LOOK = 'select min(observed_at) from video_snapshot where observed_at > ?';
const NEXT_BIRTH = 'select min(created_at) from video where created_at > ?';

const NEXT_OTHER = [
  'select min(captured_at) from capture where captured_at > ?',
  'select min(observed_at) from hashtag_snapshot where observed_at > ?',
  'select min(observed_at) from creator_snapshot where observed_at > ?',
];

const next = (lake: Lake, sql: string, after: number): number =>
  (statement(lake, sql).pluck().get(after) as number | null) ?? Number.POSITIVE_INFINITY;

/**
 * The first instant after `asOf` at which an answer over the windows of `windowsMs` can differ while
 * the lake stays as it is: something seen later comes into view, or a look or a video's birth leaves
 * a window. Until then the answer is the same for every instant asked.
 */
export const holdsUntil = (lake: Lake, asOf: number, windowsMs: readonly number[]): number =>
  Math.min(
    next(lake, NEXT_LOOK, asOf),
    ...NEXT_OTHER.map((sql) => next(lake, sql, asOf)),
    ...windowsMs.flatMap((windowMs) => [
      next(lake, NEXT_LOOK, asOf - windowMs) + windowMs,
      next(lake, NEXT_BIRTH, asOf - windowMs) + windowMs,
    ]),
  );
