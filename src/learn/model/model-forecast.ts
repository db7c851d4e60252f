import { probabilityOf } from './calibration.ts';
import { isComparable } from './cohort.ts';
import { correctionFor } from './conformal.ts';
import { type Curve, logViews, type Point, viewsAt } from './curve.ts';
import { describePoint } from './features.ts';
import { ALL_FEATURES, describeHorizon, HORIZONS } from './horizons.ts';
import type { WayModel } from './learn.ts';
import { evaluateTrees } from './trees.ts';

/** Views so many hours ahead: median and an interval that holds the truth 80 times in 100. */
export interface HorizonForecast {
  readonly hours: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What is forecast of a video from one of its snapshots. */
export interface Forecast {
  /** Of ending in the top tenth of growth of its cohort. */
  readonly topProbability: number;
  /** Only those that the lake could ever check. */
  readonly horizons: readonly HorizonForecast[];
}

/**
 * What the model says at one point of a curve, from that point and earlier ones alone; undefined
 * where too few curves of its age class are finished: older videos grow less, and what is much for
 * them is little for a young one.
 */
export const modelForecast = (
  model: WayModel,
  curve: Curve,
  position: number,
): Forecast | undefined => {
  if (!isComparable(model.cohorts, curve)) return undefined;
  const row = new Float32Array(ALL_FEATURES);
  describePoint(curve, position, model.cohorts, row);
  const topProbability = probabilityOf(model.calibration, evaluateTrees(model.odds, row));
  const now = curve.points[position] as Point;
  const from = logViews(now.views);
  const horizons = HORIZONS.flatMap((hours): HorizonForecast[] => {
    const correction = correctionFor(model.corrections, { hours, curve, now });
    if (correction === undefined) return [];
    describeHorizon(curve, { position, hours }, model.cohorts, row);
    // counts rarely fall, and by little: what is expected never lies below what is there
    const median = Math.max(0, evaluateTrees(model.median, row));
    const low = Math.max(0, Math.min(median, evaluateTrees(model.low, row) - correction.below));
    const high = Math.max(median, evaluateTrees(model.high, row) + correction.above);
    const views = (grown: number): number =>
      Math.min(Number.MAX_SAFE_INTEGER, Math.round(viewsAt(from + grown)));
    return [{ hours, median: views(median), low: views(low), high: views(high) }];
  });
  return { topProbability, horizons };
};
