import { HOUR_MS } from '../../base/durations.ts';

// The score that ranks videos, in one place.
//
//   score    = reach + pace, 0 to 2
//   reach    = share of the platform's matching videos with fewer views, 0 to 1
//   pace     = share of them with a lower damped velocity, 0 to 1; 0 for a video that does not move
//   velocity = views gained per hour between the snapshot before the window (else the first inside it)
//              and the last snapshot; with a single snapshot, the mean over the video's life
//   damped   = velocity x views / (views + 1,000)
//
// Views of two platforms, or of a radar of small channels and a list of hits, cannot be compared
// raw, so both parts are ranks among the videos of one platform. A count of 3 that becomes 90 in an
// hour is noise, hence the damping. Snapshots closer together than an hour count as an hour apart: a
// counter that moves in steps would show any velocity. Where no views are known, reach
// is the rank among the known likes: some sources never show views.

/** Bases below this many views are damped. */
const TINY_BASE_VIEWS = 1000;

/** Snapshots of one video inside a window; instants in Unix ms. */
export interface Movement {
  readonly key: number;
  readonly views: number | null; // newest known
  readonly viewsAt: number | null;
  readonly baseViews: number | null; // at the snapshot the gain is counted from; null: only one snapshot
  readonly baseAt: number | null;
  readonly likes: number | null; // newest known
  readonly createdAt: number | null;
}

const hoursBetween = (from: number, to: number): number => Math.max(1, (to - from) / HOUR_MS);

/** Views per hour, never below 0; null if the snapshots do not show it. */
export const velocityOf = (m: Movement): number | null => {
  if (m.views === null || m.viewsAt === null) return null;
  if (m.baseViews !== null && m.baseAt !== null && m.baseAt < m.viewsAt)
    return Math.max(0, m.views - m.baseViews) / hoursBetween(m.baseAt, m.viewsAt);
  if (m.createdAt === null || m.createdAt > m.viewsAt) return null;
  return m.views / hoursBetween(m.createdAt, m.viewsAt);
};

/** Velocity with tiny bases damped; 0 when unknown. */
export const dampedVelocity = (m: Movement): number => {
  const velocity = velocityOf(m);
  return velocity === null || m.views === null
    ? 0
    : (velocity * m.views) / (m.views + TINY_BASE_VIEWS);
};

/** Ranks values of `all` among the known ones: the share of them that is lower, 0 to 1. */
const shareBelow = (all: Float64Array): ((value: number) => number) => {
  const ascending = all.toSorted(); // what is not known comes last
  const known = ascending.findLastIndex((value) => !Number.isNaN(value)) + 1;
  if (known < 2) return () => 0;
  return (value) => {
    let [low, high] = [0, known];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ascending[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low / (known - 1);
  };
};

/** Inputs of scores, one column each, of equal length; NaN for unknown counts. */
export interface Measures {
  readonly views: Float64Array;
  readonly likes: Float64Array;
  readonly damped: Float64Array;
}

/** The scores of one platform's matching videos, by their place in the columns. Pure. */
export const scoresOf = ({ views, likes, damped }: Measures): Float64Array => {
  const reachByViews = shareBelow(views);
  const reachByLikes = shareBelow(likes);
  const paceOf = shareBelow(damped);
  return views.map((seen, index) => {
    const liked = likes[index] as number;
    const pace = damped[index] as number;
    const byLikes = Number.isNaN(seen) && !Number.isNaN(liked) ? reachByLikes(liked) : 0;
    const reach = Number.isNaN(seen) ? byLikes : reachByViews(seen);
    return reach + (pace > 0 ? paceOf(pace) : 0);
  });
};

/**
 * Views gained inside a window of `windowMs` from `windowFrom`: all views of a video published
 * inside it, else the difference to the snapshot before. If that is older than the window is long,
 * the gain counts in proportion. Null if the snapshots do not show it.
 */
export const viewsGained = (m: Movement, windowFrom: number, windowMs: number): number | null => {
  if (m.views === null || m.viewsAt === null) return null;
  if (m.createdAt !== null && m.createdAt > windowFrom) return m.views;
  if (m.baseViews === null || m.baseAt === null) return null;
  return (m.views - m.baseViews) * Math.min(1, windowMs / (m.viewsAt - m.baseAt));
};
