import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { ageHours, type Curve, type Point } from './curve.ts';
import type { ForecastRange } from './misses.ts';
import { middle } from './quantiles.ts';

interface Question {
  readonly hours: number;
  readonly curve: Curve;
  readonly now: Point;
}

/** A held-back question with its answer. */
export interface Answered extends Question, ForecastRange {
  readonly grew: number;
}

/** Distance of the outcome outside the uncorrected interval; negative: inside. */
interface Miss {
  readonly below: number;
  readonly above: number;
  readonly weight: number;
}

/** Added to each side of an interval. */
export interface Correction {
  readonly below: number;
  readonly above: number;
}

interface ClassCorrection extends Correction {
  /** True if the median is hardly better than the count of today. */
  readonly isSilent: boolean;
}

/** By horizon, horizon and age class, and these and first sight. Shares of the interval's sides. */
export type Corrections = Readonly<Record<string, ClassCorrection>>;

/** Share of outcomes that may lie beyond one side, and beyond either. */
const BEYOND = 0.1;
const OUTSIDE = 2 * BEYOND;
/** A horizon with fewer rows is not forecast, and a smaller class is never silent. */
const LEAST_ROWS = 100;
/** Questions of one part of a day say little about the others. */
const LEAST_SPAN_MS = DAY_MS;
/** Curves at which a class weighs as much as the wider class around it. */
const HALFWAY_CURVES = 30;
/**
 * Held-back curves are often calmer than later ones, mostly while videos are young. So corrections
 * are applied by this factor where they widen, and by this share where they narrow, by age class.
 */
const WIDENING = 1.2;
const NARROWING = [0.3, 0.5, 0.7, 1] as const;
/** Shorter sides count as this long. */
const LEAST_SIDE = 0.05;
/** Share of the error of "the count stays" that a median may have in its class. */
const MOST_OF_PERSISTENCE = 0.85;

/** Under 1, 3, 7 days, older. An unknown age counts from the first snapshot. */
export const ageClassNow = (curve: Curve, now: Point): number => {
  const age = ageHours(curve, now.at);
  const hours = Number.isNaN(age) ? (now.at - (curve.points[0] as Point).at) / HOUR_MS : age;
  return [24, 72, 168].filter((edge) => hours >= edge).length;
};

/** Widest first. */
const classesOf = ({ hours, curve, now }: Question): [string, string, string] => {
  const aged = `${hours} ${ageClassNow(curve, now)}`;
  const isFirstSight = now.at === curve.points[0]?.at;
  return [String(hours), aged, `${aged} ${isFirstSight ? 'first' : 'later'}`];
};

const sidesOf = ({ low, median, high }: ForecastRange): Correction => ({
  below: Math.max(LEAST_SIDE, Math.max(0, median) - low),
  above: Math.max(LEAST_SIDE, high - Math.max(0, median)),
});

/** Conformal quantile: all but a share of the weight stays below it, counting one future value. */
const margin = (
  rows: readonly { readonly value: number; readonly weight: number }[],
  beyond: number,
): number => {
  const sorted = rows.toSorted((a, b) => a.value - b.value);
  const [sum, most] = rows.reduce(
    ([all, top], { weight }) => [all + weight, Math.max(top, weight)],
    [0, 0],
  );
  let left = (1 - beyond) * (sum + most) - 1e-9;
  const found = sorted.find(({ weight }) => {
    left -= weight;
    return left <= 0;
  });
  return (found ?? sorted.at(-1))?.value ?? 0;
};

/** Unchanged counts lie on the lower limit, so the upper side may use the unused share of misses. */
export const correctionOf = (misses: readonly Miss[]): Correction => {
  const below = margin(
    misses.map((miss) => ({ value: miss.below, weight: miss.weight })),
    BEYOND,
  );
  let [missed, all] = [0, 0];
  for (const miss of misses) {
    all += miss.weight;
    if (miss.below > below + 1e-6) missed += miss.weight;
  }
  const above = margin(
    misses.map((miss) => ({ value: miss.above, weight: miss.weight })),
    OUTSIDE - Math.min(BEYOND, missed / all),
  );
  return { below, above };
};

const isJudged = (rows: readonly Answered[]): boolean => {
  const [first, last] = rows.reduce(
    ([from, to], { now: { at } }) => [Math.min(from, at), Math.max(to, at)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  return rows.length >= LEAST_ROWS && last - first >= LEAST_SPAN_MS;
};

const isHardlyBetter = (rows: readonly Answered[]): boolean =>
  rows.length >= LEAST_ROWS &&
  (middle(rows.map(({ median, grew }) => Math.abs(Math.max(0, median) - grew))) ?? 0) >
    MOST_OF_PERSISTENCE * (middle(rows.map(({ grew }) => Math.abs(grew))) ?? 0);

/** @param around of the wider class */
const blended = (rows: readonly Answered[], around: Correction | undefined): Correction => {
  const curves = Map.groupBy(rows, ({ curve }) => curve);
  const own = correctionOf(
    rows.map((row) => {
      const sides = sidesOf(row);
      return {
        below: (row.low - row.grew) / sides.below,
        above: (row.grew - row.high) / sides.above,
        weight: 1 / (curves.get(row.curve)?.length ?? 1),
      };
    }),
  );
  if (around === undefined) return own;
  const share = curves.size / (curves.size + HALFWAY_CURVES);
  return {
    below: share * own.below + (1 - share) * around.below,
    above: share * own.above + (1 - share) * around.above,
  };
};

/**
 * Conformalised quantile regression (Romano, Patterson, Candes 2019) for each side, by class. Every
 * curve has one weight in a class. Classes with few curves are blended with the wider class.
 */
export const correctionsOf = (answered: readonly Answered[]): Corrections => {
  const corrections: Record<string, ClassCorrection> = {};
  for (const level of [0, 1, 2] as const)
    for (const [name, rows] of Map.groupBy(answered, (row) => classesOf(row)[level])) {
      const around = level === 0 ? undefined : classesOf(rows[0] as Answered)[level - 1];
      const wider = around === undefined ? undefined : corrections[around];
      if (level === 0 ? !isJudged(rows) : wider === undefined) continue;
      const isSilent = level === 2 && isHardlyBetter(rows);
      corrections[name] = { ...blended(rows, wider), isSilent };
    }
  return corrections;
};

/** Undefined if the horizon was never judged, or the class is silent. */
export const correctedRange = (
  corrections: Corrections,
  question: Question,
  range: ForecastRange,
): ForecastRange | undefined => {
  const [whole, aged, finest] = classesOf(question);
  const correction = corrections[finest] ?? corrections[aged] ?? corrections[whole];
  if (correction === undefined || correction.isSilent) return undefined;
  const narrowing = NARROWING[ageClassNow(question.curve, question.now)] as number;
  const applied = (by: number): number => (by < 0 ? narrowing : WIDENING) * by;
  const sides = sidesOf(range);
  return {
    low: range.low - applied(correction.below) * sides.below,
    median: range.median,
    high: range.high + applied(correction.above) * sides.above,
  };
};
