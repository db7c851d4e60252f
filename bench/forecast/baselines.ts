import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import {
  ageHours,
  type Curve,
  logViews,
  type Point,
  truthAfter,
} from '../../src/learn/model/curve.ts';
import { paceBefore, paceGoesOn } from '../../src/learn/model/horizons.ts';

/** What each baseline says of a point so many hours ahead, ln(views + 1000). */
export type Baselines = (
  curve: Curve,
  position: number,
  hours: number,
) => Readonly<Record<string, number>>;

export const BASELINES = ['count stays', 'pace goes on', 'cohort median'] as const;

const classIn = (ends: readonly number[], value: number): number =>
  ends.filter((end) => value > end).length;

/** Age, views and growth over the last day in classes: videos of one state are expected to go on alike. */
const stateOf = (curve: Curve, position: number, hours: number): string => {
  const { points } = curve;
  const now = points[position] as Point;
  const age = ageHours(curve, now.at);
  const old = Number.isNaN(age) ? (now.at - (points[0] as Point).at) / HOUR_MS : age;
  const slope = paceGoesOn(now.views, paceBefore(points, position, DAY_MS), 24);
  const slopes = position === 0 ? -1 : classIn([0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.8, 1.6], slope);
  return `${hours} ${classIn([3, 6, 12, 24, 36, 48, 72, 120, 240], old)} ${slopes} ${classIn([10_000, 100_000], now.views)}`;
};

const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Learns the cohort's medians from the same curves as the model. */
export const learnBaselines = (
  curves: readonly Curve[],
  horizons: readonly number[],
): Baselines => {
  const grew = new Map<string, number[]>();
  for (const curve of curves)
    for (const [position, { views }] of curve.points.entries()) {
      if (position % Math.ceil(curve.points.length / 12) !== 0) continue;
      for (const hours of horizons) {
        const truth = truthAfter(curve.points, position, hours);
        if (truth === undefined) continue;
        const state = stateOf(curve, position, hours);
        const its = grew.get(state) ?? [];
        its.push(truth - logViews(views));
        grew.set(state, its);
      }
    }
  const medians = new Map(
    [...grew].flatMap(([state, its]) => (its.length < 10 ? [] : [[state, middle(its)] as const])),
  );
  return (curve, position, hours) => {
    const { views } = curve.points[position] as Point;
    const stays = logViews(views);
    const pace = paceBefore(curve.points, position, 6 * HOUR_MS);
    const usual = medians.get(stateOf(curve, position, hours)) ?? 0;
    return {
      'count stays': stays,
      'pace goes on': stays + paceGoesOn(views, pace, hours),
      'cohort median': stays + usual,
    };
  };
};
