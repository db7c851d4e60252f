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

/** The newest snapshot of any video at or before `asOf` (Unix ms). */
export const newestSnapshotAt = (lake: Lake, asOf: number): number | null =>
  required(prepared(lake, NEWEST, 'number?').get(asOf));

const nextAfter = (lake: Lake, what: keyof typeof NEXT, at: number): number =>
  required(prepared(lake, NEXT[what], 'number?').get(at)) ?? Number.POSITIVE_INFINITY;

/**
 * First instant after `asOf` (Unix ms) at which a response over these windows can differ while the lake
 * stays unchanged: a later observation becomes visible, or a snapshot or publication leaves a window. With
 * two windows also the end of the hour, after which they are compared again.
 */
export const holdsUntil = (lake: Lake, asOf: number, windowsMs: readonly number[]): number =>
  Math.min(
    ...(['snapshot', 'capture', 'hashtag', 'creator'] as const).map((what) =>
      nextAfter(lake, what, asOf),
    ),
    ...(windowsMs.length > 1 ? [judgedAt(asOf) + HOUR_MS] : []),
    ...windowsMs.flatMap((windowMs) =>
      (['snapshot', 'birth'] as const).map(
        (what) => nextAfter(lake, what, asOf - windowMs) + windowMs,
      ),
    ),
  );
