import type Database from 'better-sqlite3';
import { prepare } from '../../lake/prepare.ts';
import { hasCadence } from '../model/curve.ts';
import { HORIZONS } from '../model/horizons.ts';
import { CurveReader, type LakeCurve, modelOf } from '../model/lake-curves.ts';
import { type Forecast, modelForecast } from '../model/model-forecast.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { TRACKED_MS } from '../model/observations.ts';
import { storeForecasts } from '../model/stored-forecasts.ts';

/** All horizons of one video from one snapshot. */
interface NewForecast {
  readonly key: number; // video.key
  readonly madeAt: number;
  readonly modelId: number;
  readonly forecast: Forecast;
}

/** Limit per round. The videos seen last come first. */
const MOST_VIDEOS = 200_000;

const TRACKED = `
  select video_key from (
    select distinct video_key from video_snapshot indexed by video_snapshot_observed_at
    where observed_at > @from and observed_at <= @at order by observed_at desc limit ${MOST_VIDEOS}
  ) order by video_key`;

/** Undefined without a trusted model for the curve. */
const forecastOf = (
  models: ReadonlyMap<string, ModelRow>,
  platform: ModelRow['platform'],
  curve: LakeCurve,
): { forecast: Forecast; row: ModelRow } | undefined => {
  const row = modelOf(models, platform, curve.way);
  if (row === undefined || !row.scores.used) return undefined;
  const { cadence } = row.scores;
  // an import without a name may change its cadence; a list has its period
  const mayChange = curve.way.startsWith('import') && cadence !== undefined;
  if (mayChange && !hasCadence(curve, cadence)) return undefined;
  const forecast = modelForecast(row.model, curve, curve.points.length - 1);
  if (forecast === undefined) return undefined;
  const withheld = new Set(row.scores.withheld?.map(({ hours }) => hours));
  const horizons = forecast.horizons.filter(({ hours }) => !withheld.has(hours));
  return { forecast: { ...forecast, horizons }, row };
};

/** Forecasts of tracked videos from their newest snapshots at or before `at`, without stored ones. */
function* newForecasts(
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  at: number,
): Generator<NewForecast> {
  const reader = new CurveReader(sqlite);
  const known = sqlite.prepare(
    'select 1 from forecast where video_key = ? and made_at = ? limit 1',
  );
  const video = prepare(
    sqlite,
    'select platform, created_at as createdAt from video where key = ?',
    { platform: 'platform', createdAt: 'number?' },
  );
  // only keys, to save memory
  for (const key of prepare(sqlite, TRACKED, 'number').all({ from: at - TRACKED_MS, at })) {
    const found = video.get(key);
    if (found === undefined) continue;
    const curve = reader.curve(key, found.createdAt, at);
    const madeAt = curve?.points.at(-1)?.at;
    if (curve === undefined || madeAt === undefined || madeAt <= at - TRACKED_MS) continue;
    if (known.get(key, madeAt) !== undefined) continue;
    const isFirstSight = curve.points.length === 1;
    const described = isFirstSight ? reader.withCreator(curve) : curve;
    const stated = forecastOf(models, found.platform, described);
    if (stated !== undefined)
      yield { key, madeAt, modelId: stated.row.id, forecast: stated.forecast };
  }
}

/**
 * Forecasts each tracked video once per snapshot.
 * @returns number of videos with a new forecast
 */
export const forecastTracked = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  at: number,
  checkStop: () => void,
): number => {
  const statement = sqlite.prepare(
    `insert into forecast (video_key, made_at, horizon_hours, views_median, views_low, views_high, top_probability,
       model_id, over_edge, over_by)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const insert = ({ key, madeAt, modelId, forecast }: NewForecast): number => {
    const { topProbability, overEdge, overBy, horizons } = forecast;
    const rest = [topProbability, modelId, overEdge ? 1 : 0, overBy];
    return HORIZONS.reduce((stored, hours) => {
      const ahead = horizons.find((horizon) => horizon.hours === hours);
      const views = [ahead?.median ?? null, ahead?.low ?? null, ahead?.high ?? null];
      return stored + statement.run(key, madeAt, hours, ...views, ...rest).changes;
    }, 0);
  };
  const forecasts = newForecasts(sqlite, models, at);
  return storeForecasts(sqlite, forecasts, { table: 'forecasts', insert, checkStop });
};

/** @param after Unix ms @returns number of removed rows */
export const removeForecastsAfter = (sqlite: Database.Database, after: number): number =>
  sqlite.prepare('delete from forecast where made_at > ?').run(after).changes;
