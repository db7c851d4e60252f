import { probabilityOf } from './calibration.ts';
import { isComparable, isOverEdge } from './cohort.ts';
import { correctedRange } from './conformal.ts';
import { type Curve, logViews, type Point, viewsAt } from './curve.ts';
import { describePoint } from './features.ts';
import { ALL_FEATURES, describeHorizon, HORIZONS } from './horizons.ts';
import type { WayModel } from './learn.ts';
import type { ForecastRange } from './misses.ts';
import { likelyOverBy } from './rise.ts';
import { evaluateRange, evaluateTrees } from './trees.ts';

/** Views so many hours ahead: median and 80 % interval. */
export interface HorizonForecast extends ForecastRange {
  readonly hours: number;
}

export interface Forecast {
  /** Of finishing in the top tenth of its cohort by growth. */
  readonly topProbability: number;
  /** True if its growth already reached the edge of the top tenth. */
  readonly overEdge: boolean;
  /** Instant by which 8 in 10 similar videos stopped rising, Unix ms; null: unknown. */
  readonly overBy: number | null;
  /** Only those that the lake could check before. */
  readonly horizons: readonly HorizonForecast[];
}

/** Uses only the point at `position` and earlier ones. Undefined if the age class has too few finished curves. */
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
  let ahead = { median: 0, low: 0, high: 0 }; // counts rarely fall, so no later horizon is lower
  const horizons = HORIZONS.flatMap((hours): HorizonForecast[] => {
    describeHorizon(curve, { position, hours }, model.cohorts, row);
    const raw = evaluateRange(model, row);
    const range = correctedRange(model.corrections, { hours, curve, now }, raw);
    if (range === undefined) return [];
    const median = Math.max(ahead.median, range.median);
    const low = Math.max(ahead.low, Math.min(median, range.low));
    const high = Math.max(ahead.high, median, range.high);
    ahead = { median, low, high };
    const views = (grown: number): number =>
      Math.min(Number.MAX_SAFE_INTEGER, Math.round(viewsAt(from + grown)));
    return [{ hours, median: views(median), low: views(low), high: views(high) }];
  });
  return {
    topProbability,
    overEdge: isOverEdge(model.cohorts, curve, now.at),
    overBy: likelyOverBy(model.rise, curve, position),
    horizons,
  };
};
