import { HOUR_MS } from '../../base/durations.ts';
import {
  AGE_CLASSES,
  ageClass,
  type Curve,
  growthUntil,
  logViews,
  logViewsAt,
  type Point,
} from './curve.ts';
import { middle, quantile } from './quantiles.ts';

/** A curve with a complete outcome. */
export interface Finished {
  readonly curve: Curve;
  readonly growth: number;
}

/** Hours after the first snapshot at which curves are compared. */
const GRID_HOURS = [1, 2, 4, 6, 9, 12, 18, 24, 30, 36, 48, 60, 72, 96, 120, 144, 192, 240, 336];
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98];
const TOP_SHARE = 0.1;
/** An age class with fewer finished curves gets no forecasts. */
const LEAST_IN_CLASS = 40;

/** Finished curves of one age class at first sight. Plain numbers, stored with the model. */
export interface Cohort {
  /** False: the class has too few curves, so the numbers are of all classes. */
  readonly own: boolean;
  readonly curves: number;
  /** Final growth that one in ten reached. */
  readonly edge: number;
  readonly firstViews: readonly number[]; // ln(views + 1000) at first sight, at SHARES
  /** [hours of GRID_HOURS]: growth by then, at SHARES; empty with too few curves. */
  readonly growth: readonly (readonly number[])[];
  /** [hours of GRID_HOURS]: median growth still to come then. */
  readonly remaining: readonly number[];
}

const atShares = (values: readonly number[]): number[] => {
  const sorted = values.toSorted((a, b) => a - b);
  return SHARES.map((share) => quantile(sorted, share));
};

/** Growth that one in ten reached. Above 0, so that videos without growth are never on top. */
const topEdge = (finished: readonly Finished[]): number => {
  const growths = finished.map(({ growth }) => growth).sort((a, b) => b - a);
  return Math.max(1e-9, growths[Math.floor(growths.length * TOP_SHARE)] ?? 1e-9);
};

const cohortOf = (finished: readonly Finished[], own: boolean): Cohort => {
  const growth: number[][] = [];
  const remaining: number[] = [];
  for (const hours of GRID_HOURS) {
    const known: number[] = [];
    const rest: number[] = [];
    for (const { curve, growth: whole } of finished) {
      const first = curve.points[0] as Point;
      const at = first.at + hours * HOUR_MS;
      if (at > (curve.points.at(-1) as Point).at) continue;
      const grown = logViewsAt(curve.points, at) - logViews(first.views);
      known.push(grown);
      rest.push(Math.max(0, whole - grown));
    }
    growth.push(known.length < LEAST_IN_CLASS / 2 ? [] : atShares(known));
    remaining.push(middle(rest) ?? 0);
  }
  return {
    own,
    curves: finished.length,
    edge: topEdge(finished),
    firstViews: atShares(finished.map(({ curve }) => logViews((curve.points[0] as Point).views))),
    growth,
    remaining,
  };
};

/** One for each age class at first sight. */
export const cohortsOf = (finished: readonly Finished[]): Cohort[] => {
  const whole = cohortOf(finished, false);
  return Array.from({ length: AGE_CLASSES }, (_, age) => {
    const peers = finished.filter(({ curve }) => ageClass(curve) === age);
    return peers.length < LEAST_IN_CLASS ? whole : cohortOf(peers, true);
  });
};

/** True if the curve's age class has enough finished curves. */
export const isComparable = (cohorts: readonly Cohort[], curve: Curve): boolean =>
  cohorts[ageClass(curve)]?.own === true;

/** Share of values below `value`, interpolated between SHARES. */
const rankIn = (values: readonly number[], value: number): number => {
  if (values.length === 0) return Number.NaN;
  let above = 0;
  while (above < values.length && (values[above] as number) < value) above++;
  if (above === 0) return (SHARES[0] as number) / 2;
  if (above === values.length) return 0.99;
  const low = values[above - 1] as number;
  const share = (value - low) / ((values[above] as number) - low);
  return (SHARES[above - 1] as number) * (1 - share) + (SHARES[above] as number) * share;
};

const MEDIAN = SHARES.indexOf(0.5);
const TENTH = SHARES.indexOf(0.9);

/** Compares growth since first sight with the cohort's at the same time since first sight. */
export const standingIn = (
  cohort: Cohort,
  hours: number,
  growth: number,
  firstLogViews: number,
) => {
  let next = 0;
  while (next < GRID_HOURS.length - 1 && (GRID_HOURS[next] as number) < hours) next++;
  const before = Math.max(0, next - 1);
  const from = next === 0 ? 0 : (GRID_HOURS[before] as number);
  const share = Math.min(1, Math.max(0, (hours - from) / ((GRID_HOURS[next] as number) - from)));
  const low = next === 0 ? SHARES.map(() => 0) : (cohort.growth[before] as readonly number[]);
  const high = cohort.growth[next] as readonly number[];
  const then =
    high.length === 0
      ? low
      : low.length === 0
        ? high
        : high.map((value, i) => (low[i] as number) * (1 - share) + value * share);
  return {
    rank: rankIn(then, growth),
    firstRank: rankIn(cohort.firstViews, firstLogViews),
    overMedian: growth - (then[MEDIAN] ?? Number.NaN),
    overTenth: growth - (then[TENTH] ?? Number.NaN),
    missing: cohort.edge - growth,
    remaining:
      (cohort.remaining[before] as number) * (1 - share) +
      (cohort.remaining[next] as number) * share,
  };
};

/** Median growth so many hours after the first snapshot; constant past the grid. */
export const medianGrowthBy = ({ growth }: Cohort, hours: number): number => {
  let from = 0;
  let fromHours = 0;
  for (const [index, until] of GRID_HOURS.entries()) {
    const median = growth[index]?.[MEDIAN];
    if (median === undefined) break;
    if (hours <= until) return from + ((median - from) * (hours - fromHours)) / (until - fromHours);
    from = median;
    fromHours = until;
  }
  return from;
};

/** True in the top tenth of its cohort. */
export const endedOnTop = (cohorts: readonly Cohort[], { curve, growth }: Finished): boolean =>
  growth >= (cohorts[ageClass(curve)] as Cohort).edge;

/** True once the growth of a curve reached the edge of its cohort's top tenth, at or before `at`. */
export const isOverEdge = (cohorts: readonly Cohort[], curve: Curve, at: number): boolean =>
  growthUntil(curve, at) >= (cohorts[ageClass(curve)] as Cohort).edge;

export const finishedAt = (curve: Curve, until: number): Finished => ({
  curve,
  growth: growthUntil(curve, until),
});
