import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { medianGrowthBy } from './cohort.ts';
import { ageClass, logViews, truthAfter } from './curve.ts';
import { paceBefore, paceGoesOn } from './horizons.ts';
import {
  type JudgedSpan,
  judgeByVideo,
  OF_A_VIDEO,
  type VideoForecast,
  videoForecasts,
} from './kept-forecasts.ts';
import { kindOf } from './lake-curves.ts';
import { type Forecast, type Misses, missesOf } from './misses.ts';
import { type ModelRow, modelName } from './model-rows.ts';

/** One kept forecast held against what came, on ln(views + 1000). */
export interface Judged extends Misses {
  readonly platform: Platform;
  readonly kind: string;
  readonly madeAt: number;
  readonly hours: number;
}

interface ForecastRow extends VideoForecast, Forecast {
  readonly hours: number;
}

// What has not come due by then is not read.
const ROWS = videoForecasts(
  'f.horizon_hours as hours, f.views_median as median, f.views_low as low, f.views_high as high',
  `f.views_median is not null and f.made_at + f.horizon_hours * ${HOUR_MS} <= @at`,
);

/**
 * Holds kept forecasts made between two instants against what the lake knows at `span.at`; those whose
 * outcome is not known are left out.
 * @param models for the median growth of the cohort, one of the baselines
 */
export const judgeForecasts = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  span: JudgedSpan,
): Judged[] => {
  const numbers = { hours: 'number', median: 'number', low: 'number', high: 'number' } as const;
  const query = { sql: ROWS, shape: { ...OF_A_VIDEO, ...numbers } };
  return judgeByVideo<ForecastRow, Judged>(sqlite, query, span, (curve, its, platform) => {
    const { points } = curve;
    const kind = kindOf(curve.way);
    const cohort = models.get(modelName(platform, kind))?.model.cohorts[ageClass(curve)];
    return its.flatMap((forecast): Judged[] => {
      const { madeAt, hours } = forecast;
      const position = points.findIndex((point) => point.at === madeAt);
      const now = points[position];
      if (now === undefined) return [];
      const truth = truthAfter(points, position, hours);
      if (truth === undefined) return [];
      const stays = logViews(now.views);
      const pace = paceGoesOn(now.views, paceBefore(points, position, DAY_MS), hours);
      const since = (now.at - (points[0]?.at ?? now.at)) / HOUR_MS;
      const usual =
        cohort === undefined
          ? null
          : medianGrowthBy(cohort, since + hours) - medianGrowthBy(cohort, since);
      const guesses = {
        countStays: stays,
        paceGoesOn: stays + pace,
        cohortMedian: usual === null ? null : stays + usual,
      };
      const misses = missesOf(forecast, guesses, { truth, log: logViews });
      return [{ platform, kind, madeAt, hours, ...misses }];
    });
  });
};
