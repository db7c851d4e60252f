import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { type Cohort, medianGrowthBy } from './cohort.ts';
import { ageClass, type Curve, lastAtOrBefore, logViews, type Point } from './curve.ts';
import { POINT_FEATURES } from './features.ts';

/** Hours. */
export const HORIZONS = [6, 24, 72, 168] as const;

/** Inputs at a snapshot, and six for a horizon. */
export const ALL_FEATURES: number = POINT_FEATURES + 6;

/** Views per hour over the last `ms` before a point, never below 0; 0 at the first point. */
export const paceBefore = (points: readonly Point[], position: number, ms: number): number => {
  if (position === 0) return 0;
  const now = points[position] as Point;
  const from = Math.max(0, Math.min(position - 1, lastAtOrBefore(points, now.at - ms)));
  const before = points[from] as Point;
  const hours = Math.max(0.25, (now.at - before.at) / HOUR_MS);
  return Math.max(0, now.views - before.views) / hours;
};

/** Growth of ln(views + 1000) at a constant pace. */
export const paceGoesOn = (views: number, pace: number, hours: number): number =>
  logViews(views + pace * hours) - logViews(views);

/** Adds a horizon to a row of `describePoint`. */
export const describeHorizon = (
  curve: Curve,
  { position, hours }: { position: number; hours: number },
  cohorts: readonly Cohort[],
  row: Float32Array,
): void => {
  const { points } = curve;
  const now = points[position] as Point;
  const since = (now.at - (points[0] as Point).at) / HOUR_MS;
  const cohort = cohorts[ageClass(curve)] as Cohort;
  const day = paceGoesOn(now.views, paceBefore(points, position, DAY_MS), hours);
  const six = paceGoesOn(now.views, paceBefore(points, position, 6 * HOUR_MS), hours);
  const usual = medianGrowthBy(cohort, since + hours) - medianGrowthBy(cohort, since);
  const last = paceGoesOn(now.views, paceBefore(points, position, 0), hours);
  const bend = position === 0 ? Number.NaN : Math.log((day + 0.01) / (six + 0.01));
  row.set([hours, day, six, last, usual, bend], POINT_FEATURES);
};
