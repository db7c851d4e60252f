import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { ageHours, type Curve, logViews, type Point, truthAfter } from './curve.ts';
import { HORIZONS, paceBefore, paceGoesOn } from './horizons.ts';
import type { BaselineGuesses } from './misses.ts';
import { middle } from './quantiles.ts';

/** Median growth of ln(views + 1000) by horizon and state of a video. */
export type UsualGrowth = Readonly<Record<string, number>>;

/** Rows that a state needs. */
const LEAST_ROWS = 10;
const POINTS_OF_CURVE = 12;
const AGE_EDGES = [3, 6, 12, 24, 36, 48, 72, 120, 240]; // hours
const RISE_EDGES = [0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6]; // of the last day
const SIZE_EDGES = [10_000, 100_000]; // views

const classIn = (edges: readonly number[], value: number): number =>
  edges.filter((edge) => value > edge).length;

/** Videos of one age, size and growth over the last day. */
const stateOf = (curve: Curve, position: number): string => {
  const { points } = curve;
  const now = points[position] as Point;
  const age = ageHours(curve, now.at);
  const hours = Number.isNaN(age) ? (now.at - (points[0] as Point).at) / HOUR_MS : age;
  const rise = paceGoesOn(now.views, paceBefore(points, position, DAY_MS), 24);
  const riseClass = position === 0 ? -1 : classIn(RISE_EDGES, rise);
  return `${classIn(AGE_EDGES, hours)} ${riseClass} ${classIn(SIZE_EDGES, now.views)}`;
};

export const learnUsual = (curves: readonly Curve[]): UsualGrowth => {
  const grown = new Map<string, number[]>();
  for (const curve of curves) {
    const stride = Math.ceil(curve.points.length / POINTS_OF_CURVE);
    for (let position = 0; position < curve.points.length; position += stride) {
      const now = logViews((curve.points[position] as Point).views);
      const state = stateOf(curve, position);
      for (const hours of HORIZONS) {
        const truth = truthAfter(curve.points, position, hours);
        if (truth === undefined) continue;
        const name = `${hours} ${state}`;
        const rows = grown.get(name) ?? [];
        rows.push(truth - now);
        grown.set(name, rows);
      }
    }
  }
  return Object.fromEntries(
    [...grown].flatMap(([name, rows]): [string, number][] =>
      rows.length < LEAST_ROWS ? [] : [[name, middle(rows) ?? 0]],
    ),
  );
};

/** Guesses without a model, which every shown forecast must beat. */
export const baselineGuesses = (
  usual: UsualGrowth | undefined,
  curve: Curve,
  position: number,
  hours: number,
): BaselineGuesses => {
  const { views } = curve.points[position] as Point;
  const stays = logViews(views);
  const pace = paceBefore(curve.points, position, 6 * HOUR_MS);
  const growth = usual?.[`${hours} ${stateOf(curve, position)}`];
  return {
    countStays: stays,
    paceGoesOn: stays + paceGoesOn(views, pace, hours),
    cohortMedian: usual === undefined ? null : stays + (growth ?? 0),
  };
};
