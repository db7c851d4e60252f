import { HOUR_MS } from '../../base/durations.ts';
import { ageHours, type Curve, type Point } from './curve.ts';

/** Distance of the outcome outside the uncorrected interval; negative: inside. */
export interface Miss {
  readonly hours: number;
  readonly curve: Curve;
  readonly now: Point;
  readonly below: number;
  readonly above: number;
}

/** Added to each side of an interval, in ln(views + 1000). */
export interface Correction {
  readonly rows: number;
  readonly below: number;
  readonly above: number;
}

/** By horizon, and by horizon and class. */
export type Corrections = Readonly<Record<string, Correction>>;

/** Share of outcomes that may lie beyond one side, and beyond either. */
const BEYOND = 0.1;
const OUTSIDE = 2 * BEYOND;
/** A horizon with fewer rows is not forecast. */
const LEAST_ROWS = 100;
/** Rows at which a class weighs as much as its whole horizon. */
const HALFWAY_ROWS = 30;

/** Under 1, 3, 7 days, older. An unknown age counts from the first snapshot. */
export const ageClassNow = (curve: Curve, now: Point): number => {
  const age = ageHours(curve, now.at);
  const hours = Number.isNaN(age) ? (now.at - (curve.points[0] as Point).at) / HOUR_MS : age;
  return [24, 72, 168].filter((edge) => hours >= edge).length;
};

/** Under 10,000, under 100,000, more. */
export const sizeClass = ({ views }: Point): number =>
  [10_000, 100_000].filter((edge) => views >= edge).length;

const classOf = ({ hours, curve, now }: Pick<Miss, 'hours' | 'curve' | 'now'>): string => {
  const isFirstSight = now.at === curve.points[0]?.at;
  return `${hours} ${ageClassNow(curve, now)} ${sizeClass(now)}${isFirstSight ? ' first' : ''}`;
};

/** Conformal quantile: all but a share stay below it, counting one future value. */
const margin = (values: readonly number[], beyond: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.ceil((1 - beyond) * (sorted.length + 1)) - 1;
  return sorted[Math.min(at, sorted.length - 1)] ?? 0;
};

/** Unchanged counts lie on the lower limit, so the upper side may use the unused share of misses. */
export const correctionOf = (misses: readonly Pick<Miss, 'below' | 'above'>[]): Correction => {
  const below = margin(
    misses.map((miss) => miss.below),
    BEYOND,
  );
  const missed = misses.filter((miss) => miss.below > below + 1e-6).length / misses.length;
  const above = margin(
    misses.map((miss) => miss.above),
    OUTSIDE - Math.min(BEYOND, missed),
  );
  return { rows: misses.length, below, above };
};

/**
 * Conformalised quantile regression (Romano, Patterson, Candes 2019), for each side, horizon, age
 * class, size class and first sight. Classes with few rows are blended with their horizon.
 */
export const correctionsOf = (misses: readonly Miss[]): Corrections => {
  const corrections: Record<string, Correction> = {};
  for (const [hours, horizon] of Map.groupBy(misses, (miss) => miss.hours)) {
    if (horizon.length < LEAST_ROWS) continue;
    const whole = correctionOf(horizon);
    corrections[hours] = whole;
    for (const [name, like] of Map.groupBy(horizon, classOf)) {
      const own = correctionOf(like);
      const share = like.length / (like.length + HALFWAY_ROWS);
      corrections[name] = {
        rows: like.length,
        below: share * own.below + (1 - share) * whole.below,
        above: share * own.above + (1 - share) * whole.above,
      };
    }
  }
  return corrections;
};

/** Undefined if the horizon was never judged. */
export const correctionFor = (
  corrections: Corrections,
  point: Pick<Miss, 'hours' | 'curve' | 'now'>,
): Correction | undefined => {
  const whole = corrections[point.hours];
  return whole === undefined ? undefined : (corrections[classOf(point)] ?? whole);
};
