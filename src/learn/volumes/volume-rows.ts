import type Database from 'better-sqlite3';
import type { ForecastRange } from '../model/misses.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { storeForecasts } from '../model/stored-forecasts.ts';
import { type VolumeGroup, VolumeReader } from './lake-volumes.ts';
import { type VolumeModel, volumeAhead } from './learn-volumes.ts';
import { AHEAD_HOURS } from './volume-series.ts';

interface Forecasting {
  readonly group: VolumeGroup;
  readonly row: ModelRow<VolumeModel, VolumeGroup['platform']>;
  readonly at: number; // Unix ms
}

interface NewVolumeForecast extends ForecastRange {
  readonly key: number; // hashtag.key
  readonly madeAt: number;
}

/** Forecasts of the tracked hashtags of a group from their newest volumes, without stored ones. */
function* newForecasts(
  sqlite: Database.Database,
  { group, row, at }: Forecasting,
): Generator<NewVolumeForecast> {
  const reader = new VolumeReader(sqlite);
  const known = sqlite.prepare(
    'select 1 from hashtag_forecast where hashtag_key = ? and platform = ? and made_at = ?',
  );
  for (const key of reader.tracked(group, at)) {
    const series = reader.series(group, key, at);
    const madeAt = series.volumes.at(-1)?.at;
    if (madeAt === undefined || known.get(key, group.platform, madeAt) !== undefined) continue;
    yield { key, madeAt, ...volumeAhead(row.model, series, series.volumes.length - 1) };
  }
}

/**
 * Forecasts each tracked hashtag of a group once per snapshot.
 * @returns number of hashtags with a new forecast
 */
export const forecastVolumes = (
  sqlite: Database.Database,
  forecasting: Forecasting,
  checkStop: () => void,
): number => {
  const { platform, id } = forecasting.row;
  const statement = sqlite.prepare(
    `insert into hashtag_forecast
       (hashtag_key, platform, made_at, horizon_hours, volume_median, volume_low, volume_high, model_id)
     values (?, ?, ?, ${AHEAD_HOURS}, ?, ?, ?, ?) on conflict do nothing`,
  );
  const insert = ({ key, madeAt, median, low, high }: NewVolumeForecast): number =>
    statement.run(key, platform, madeAt, median, low, high, id).changes;
  const forecasts = newForecasts(sqlite, forecasting);
  return storeForecasts(sqlite, forecasts, { table: 'hashtag_forecasts', insert, checkStop });
};

/** @param after Unix ms @returns number of removed rows */
export const removeVolumeForecastsAfter = (sqlite: Database.Database, after: number): number =>
  sqlite.prepare('delete from hashtag_forecast where made_at > ?').run(after).changes;
