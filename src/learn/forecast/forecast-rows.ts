import type Database from 'better-sqlite3';
import { dateOf } from '../../base/iso.ts';
import { prepare } from '../../lake/prepare.ts';
import { MARK_TOUCHED } from '../../lake/touched-partitions.ts';
import { hasCadence } from '../model/curve.ts';
import { HORIZONS } from '../model/horizons.ts';
import { CurveReader, type LakeCurve, modelOf } from '../model/lake-curves.ts';
import { type Forecast, modelForecast } from '../model/model-forecast.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { TRACKED_MS } from '../model/observations.ts';

/** All horizons of one video from one snapshot. */
interface NewForecast {
  readonly key: number; // video.key
  readonly madeAt: number;
  readonly modelId: number;
  readonly forecast: Forecast;
}

/** Videos per transaction, so that other writers get their turn. */
const VIDEOS_AT_ONCE = 500;
/** Limit per round. The videos seen last come first. */
const MOST_VIDEOS = 200_000;

const TRACKED = `
  select video_key from (
    select distinct video_key from video_snapshot indexed by video_snapshot_observed_at
    where observed_at > @from and observed_at <= @at order by observed_at desc limit ${MOST_VIDEOS}
  ) order by video_key`;

/** Also marks the Parquet partitions. @returns number of new videos */
const store = (sqlite: Database.Database, batch: readonly NewForecast[]): number => {
  const insert = sqlite.prepare(
    `insert into forecast (video_key, made_at, horizon_hours, views_median, views_low, views_high, top_probability,
       model_id, over_edge, over_by)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const touch = sqlite.prepare(MARK_TOUCHED);
  return sqlite
    .transaction(() => {
      let stored = 0;
      const dates = new Set<string>();
      for (const { key, madeAt, modelId, forecast } of batch) {
        let changes = 0;
        for (const hours of HORIZONS) {
          const ahead = forecast.horizons.find((horizon) => horizon.hours === hours);
          const views = [ahead?.median ?? null, ahead?.low ?? null, ahead?.high ?? null];
          const { topProbability, overEdge, overBy } = forecast;
          const rest = [topProbability, modelId, overEdge ? 1 : 0, overBy];
          changes += insert.run(key, madeAt, hours, ...views, ...rest).changes;
        }
        if (changes > 0) {
          dates.add(dateOf(madeAt));
          stored += 1;
        }
      }
      for (const date of dates) touch.run('forecasts', date);
      return stored;
    })
    .immediate();
};

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

/**
 * Forecasts each tracked video from its newest snapshot at or before `at`, once per snapshot.
 * @returns number of videos with a new forecast
 */
export const forecastTracked = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  at: number,
  checkStop: () => void,
): number => {
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
  const tracked = prepare(sqlite, TRACKED, 'number').all({ from: at - TRACKED_MS, at });
  let batch: NewForecast[] = [];
  let stored = 0;
  const flush = (): void => {
    checkStop();
    stored += store(sqlite, batch);
    batch = [];
  };
  for (const key of tracked) {
    const found = video.get(key);
    if (found === undefined) continue;
    const { platform, createdAt } = found;
    const curve = reader.curve(key, createdAt, at);
    const madeAt = curve?.points.at(-1)?.at;
    if (curve === undefined || madeAt === undefined || madeAt <= at - TRACKED_MS) continue;
    if (known.get(key, madeAt) !== undefined) continue;
    const isFirstSight = curve.points.length === 1;
    const described = isFirstSight ? reader.withCreator(curve) : curve;
    const stated = forecastOf(models, platform, described);
    if (stated === undefined) continue;
    batch.push({ key, madeAt, modelId: stated.row.id, forecast: stated.forecast });
    if (batch.length >= VIDEOS_AT_ONCE) flush();
  }
  if (batch.length > 0) flush();
  return stored;
};

/** @param after Unix ms @returns number of removed rows */
export const removeForecastsAfter = (sqlite: Database.Database, after: number): number =>
  sqlite.prepare('delete from forecast where made_at > ?').run(after).changes;
