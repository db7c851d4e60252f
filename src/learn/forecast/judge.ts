import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { baselineGuesses } from '../model/baselines.ts';
import { logViews, truthAfter } from '../model/curve.ts';
import { type JudgedSpan, type KeptOfVideo, keptForecasts } from '../model/kept-forecasts.ts';
import { modelOf, videoKind } from '../model/lake-curves.ts';
import { type Misses, missesOf } from '../model/misses.ts';
import type { ModelRow } from '../model/model-rows.ts';

/** One stored forecast compared with the outcome, as ln(views + 1000). */
export interface JudgedForecast extends Misses {
  readonly platform: Platform;
  readonly kind: string;
  readonly madeAt: number;
  readonly hours: number;
}

/** For the usual growth, one of the baselines. */
type Models = ReadonlyMap<string, ModelRow>;

/** Leaves out forecasts with an unknown outcome. */
export const judgeViews = (
  models: Models,
  { platform, curve, rows, at }: KeptOfVideo,
): JudgedForecast[] => {
  const { points } = curve;
  const row = modelOf(models, platform, curve.way);
  const kind = row?.kind ?? videoKind(curve.way);
  const usual = row?.model.usual;
  return rows.flatMap(([, , , madeAt, hours, median, low, high]): JudgedForecast[] => {
    const isDue = madeAt + hours * HOUR_MS <= at;
    if (!isDue || median === null || low === null || high === null) return [];
    const position = points.findIndex((point) => point.at === madeAt);
    const now = points[position];
    if (now === undefined) return [];
    const truth = truthAfter(points, position, hours);
    if (truth === undefined) return [];
    const guesses = baselineGuesses(usual, curve, position, hours);
    const misses = missesOf({ median, low, high }, guesses, { truth, log: logViews });
    return [{ platform, kind, madeAt, hours, ...misses }];
  });
};

export const judgeForecasts = (
  sqlite: Database.Database,
  models: Models,
  span: JudgedSpan,
): JudgedForecast[] => [...keptForecasts(sqlite, span)].flatMap((kept) => judgeViews(models, kept));
