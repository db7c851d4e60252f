import { HOUR_MS } from '../../base/durations.ts';

/** A plausible count. */
export interface Point {
  readonly at: number; // Unix ms
  readonly views: number;
}

/** Earlier videos of the creator, as known at the first sight of a curve. */
export interface EarlierVideos {
  readonly videos: number;
  /** Mean growth since their own first sights; null without videos. */
  readonly growth: number | null;
}

export interface Curve {
  readonly createdAt: number | null; // Unix ms; null: unknown
  readonly creator?: EarlierVideos;
  /** Oldest first, at least one. */
  readonly points: readonly Point[];
}

/** Sources return 0 for hidden or unreadable counts. */
export const isSnapshotKnown = (views: number | null): views is number =>
  views !== null && views > 0;

/** Without it, videos with few views seem to explode. */
const VIEW_DAMPING = 1000;

/** Scale of the models: ln(views + 1000). */
export const logViews = (views: number): number => Math.log(Math.max(0, views) + VIEW_DAMPING);

/** Inverse of `logViews`. */
export const viewsAt = (log: number): number => Math.max(0, Math.exp(log) - VIEW_DAMPING);

/** Position of the last point at or before `at`, or -1. */
export const lastAtOrBefore = (points: readonly { readonly at: number }[], at: number): number => {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] as { at: number }).at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** ln(views + 1000) at an instant between the first point and the last, log-linear between points. */
export const logViewsAt = (points: readonly Point[], at: number): number => {
  const position = Math.max(0, lastAtOrBefore(points, at));
  const before = points[position] as Point;
  const after = points[position + 1];
  if (after === undefined || at <= before.at) return logViews(before.views);
  const share = (at - before.at) / (after.at - before.at);
  return logViews(before.views) * (1 - share) + logViews(after.views) * share;
};

/** Growth to the highest point until `until`: ln((views + 1000) / (first + 1000)). */
export const growthUntil = ({ points }: Curve, until: number): number => {
  let most = 0;
  for (const { at, views } of points) {
    if (at > until) break;
    most = Math.max(most, views);
  }
  const first = points[0] as Point;
  return logViews(Math.max(most, first.views)) - logViews(first.views);
};

/** Longest distance from an instant to the snapshot that represents it. */
const nearMs = (hours: number): number => Math.max(1.5, hours / 8) * HOUR_MS;

/**
 * Outcome `hours` after a point, as ln(views + 1000); undefined without a near snapshot. Past the last
 * snapshot, its growth is extrapolated to the full time.
 */
export const truthAfter = (
  points: readonly Point[],
  position: number,
  hours: number,
): number | undefined => {
  const from = points[position] as Point;
  const at = from.at + hours * HOUR_MS;
  const before = points[lastAtOrBefore(points, at)] as Point;
  const after = points[lastAtOrBefore(points, at) + 1];
  const near = nearMs(hours);
  if (after === undefined) {
    if (before.at <= from.at || at - before.at > near) return undefined;
    const start = logViews(from.views);
    return start + ((logViews(before.views) - start) * (at - from.at)) / (before.at - from.at);
  }
  const isNear = after.at - at <= near || (before.at > from.at && at - before.at <= near);
  return isNear ? logViewsAt(points, at) : undefined;
};

/** Hours, never negative even if a clock runs ahead; NaN if unknown. */
export const ageHours = ({ createdAt }: Curve, at: number): number =>
  createdAt === null ? Number.NaN : Math.max(0, (at - createdAt) / HOUR_MS);

const AGE_EDGES = [6, 24, 72];
export const AGE_CLASSES = AGE_EDGES.length + 1;

/** Age when first seen: under 6 h, under 24 h, under 72 h, older or unknown. */
export const ageClass = (curve: Curve): number => {
  const hours = ageHours(curve, (curve.points[0] as Point).at);
  const found = AGE_EDGES.findIndex((edge) => hours < edge);
  return found < 0 ? AGE_EDGES.length : found;
};

const RECENT_GAPS = 5;

/** Median of the newest gaps between snapshots, in hours; undefined for a single snapshot. */
const recentGapHours = ({ points }: Curve): number | undefined => {
  const newest = points.slice(-RECENT_GAPS - 1);
  const gaps = newest.slice(1).map(({ at }, i) => (at - (newest[i] as Point).at) / HOUR_MS);
  return gaps.sort((a, b) => a - b)[gaps.length >> 1];
};

/** Range of gaps between snapshots, in hours. */
export interface Cadence {
  readonly low: number;
  readonly high: number;
}

/** Gaps further from those that taught a model are a cadence it does not know. */
const CADENCE_FACTOR = 2;
const CADENCE_TAIL = 0.05;

/** Cadence of curves, without rare extremes. */
export const cadenceOf = (curves: readonly Curve[]): Cadence => {
  const gaps = curves.flatMap((curve) => recentGapHours(curve) ?? []).sort((a, b) => a - b);
  const tail = Math.floor(CADENCE_TAIL * gaps.length);
  return { low: gaps[tail] ?? 0, high: gaps[gaps.length - 1 - tail] ?? Number.MAX_VALUE };
};

/** False if the snapshots of a curve come much more often or seldom than `cadence`. */
export const hasCadence = (curve: Curve, { low, high }: Cadence): boolean => {
  const gap = recentGapHours(curve);
  return gap === undefined || (gap >= low / CADENCE_FACTOR && gap <= high * CADENCE_FACTOR);
};
