import type { Platform } from '../../../schema/vocabulary.ts';
import { AGE_HOURS, AGE_STEPS, ageStep } from './age-grid.ts';

/** One video's past as the lake holds it: counts at ages, oldest first. */
export interface PastCurve {
  readonly platform: Platform;
  readonly ageHours: readonly number[];
  readonly views: readonly number[];
  /** Mean log views of the creator's other videos when it was first seen; left out: unknown. */
  readonly creatorUsual?: number;
}

/** A curve on the age grid. */
export interface GridCurve {
  /** Natural logarithm of the views at each point of the grid. */
  readonly logViews: Float64Array;
  /** First sight on the grid, as a fraction between points, with its views. */
  readonly from: number;
  readonly logViewsAtFrom: number;
  /** Last grid point that rests on observations; what follows is carried on. */
  readonly to: number;
  /** As in PastCurve; NaN: unknown. */
  readonly creatorUsual: number;
  /** A shape assumed before anything was seen, without a level. */
  readonly prior: boolean;
  readonly weight: number;
}

/** Past curves of one platform, the lake's own and the prior. */
export type CurveLibrary = readonly GridCurve[];

/** Slope that a curve keeps losing with each grid step after its last observation. */
const SLOPE_KEPT_PER_STEP = 0.85;
/**
 * Least expected growth per grid step, 0.1 %. A dormant video may move again: with a floor its
 * expected error keeps growing, so it is refreshed rarely but always eventually.
 */
export const DORMANT_SLOPE = 0.001;

/** Views never fall in a prediction: corrections of the platform are noise to a plan. */
const risingLogs = (views: readonly number[]): number[] => {
  let most = 1;
  return views.map((count) => {
    most = Math.max(most, count);
    return Math.log(most);
  });
};

const carryOn = (logViews: Float64Array, to: number, slope: number): void => {
  let step = slope;
  for (let i = to + 1; i < AGE_STEPS; i++) {
    step *= SLOPE_KEPT_PER_STEP;
    logViews[i] = (logViews[i - 1] ?? 0) + Math.max(step, DORMANT_SLOPE);
  }
};

/** Slope per grid step over the last observed quarter of an age, at most 4 steps. */
const endingSlope = (logViews: Float64Array, from: number, to: number): number => {
  const back = Math.max(from, to - 4);
  return to > back ? ((logViews[to] ?? 0) - (logViews[back] ?? 0)) / (to - back) : 0;
};

/**
 * Puts a past curve on the age grid, log-linear between its observations and slowing down after
 * the last. Undefined when it spans less than two grid points: it teaches nothing.
 */
export const gridCurve = (past: PastCurve, weight = 1): GridCurve | undefined => {
  const steps = past.ageHours.map(ageStep);
  const logs = risingLogs(past.views);
  const first = steps[0] ?? Number.POSITIVE_INFINITY;
  const from = Math.ceil(first);
  const to = Math.min(Math.floor(steps.at(-1) ?? -1), AGE_STEPS - 1);
  if (!(to > from)) return undefined;
  const logViews = new Float64Array(AGE_STEPS);
  let next = 1;
  for (let i = from; i <= to; i++) {
    while (next < steps.length - 1 && (steps[next] ?? 0) < i) next++;
    const a = steps[next - 1] ?? 0;
    const b = steps[next] ?? 0;
    const share = b > a ? Math.min(1, (i - a) / (b - a)) : 1;
    logViews[i] = (logs[next - 1] ?? 0) * (1 - share) + (logs[next] ?? 0) * share;
  }
  logViews.fill(logViews[from] ?? 0, 0, from);
  carryOn(logViews, to, endingSlope(logViews, from, to));
  const creatorUsual = past.creatorUsual ?? Number.NaN;
  return {
    logViews,
    from: first,
    logViewsAtFrom: logs[0] ?? 0,
    to,
    creatorUsual,
    prior: false,
    weight,
  };
};

/** Log views of a curve at a fractional point of the grid, from its first sight on. */
export const logViewsAtStep = (curve: GridCurve, step: number): number => {
  const whole = Math.floor(step);
  const after = curve.logViews[Math.min(whole + 1, AGE_STEPS - 1)] ?? 0;
  const share = step - whole;
  if (whole >= curve.from)
    return (curve.logViews[Math.min(whole, AGE_STEPS - 1)] ?? 0) * (1 - share) + after * share;
  const known = (step - curve.from) / (whole + 1 - curve.from);
  return curve.logViewsAtFrom * (1 - known) + after * known;
};

/** Hours until about two thirds of a video's views are there: what is commonly seen, by platform. */
const TYPICAL_HOURS: Record<Platform, number> = { tiktok: 36, instagram: 48, youtube: 60 };
/** Weight of the whole prior, in real curves. */
const PRIOR_WEIGHT = 6;
/** Far above one view, so that the youngest age has its due share. */
const PRIOR_VIEWS = 1e6;
const PRIOR_PACES = [0.2, 0.5, 1, 2, 5, 12];

/**
 * Assumed curves of a platform before the lake has enough: stretched exponentials of six paces,
 * each with a slow logarithmic tail. Together they weigh as much as six real curves, so they fade
 * as the lake learns.
 */
const priorCurves = (platform: Platform): GridCurve[] =>
  PRIOR_PACES.map((pace) => {
    const scale = TYPICAL_HOURS[platform] * pace;
    const logViews = Float64Array.from(AGE_HOURS, (age) => {
      const spread = -Math.expm1(-((age / scale) ** 0.8));
      return Math.log(PRIOR_VIEWS * spread * (1 + 0.05 * Math.log1p(age / scale)));
    });
    const weight = PRIOR_WEIGHT / PRIOR_PACES.length;
    const logViewsAtFrom = logViews[0] ?? 0;
    const to = AGE_STEPS - 1;
    const creatorUsual = Math.log(PRIOR_VIEWS);
    return { logViews, from: 0, logViewsAtFrom, to, creatorUsual, prior: true, weight };
  });

/** The library of one platform: its past curves and the prior. */
export const curveLibrary = (platform: Platform, past: Iterable<PastCurve>): CurveLibrary => {
  const own: GridCurve[] = [];
  for (const curve of past) {
    const onGrid = curve.platform === platform ? gridCurve(curve) : undefined;
    if (onGrid !== undefined) own.push(onGrid);
  }
  return [...own, ...priorCurves(platform)];
};
