import type Database from 'better-sqlite3';
import { dateOf } from '../../base/iso.ts';
import { MARK_TOUCHED } from '../../lake/touched-partitions.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { type VolumeGroup, VolumeReader } from './lake-volumes.ts';
import { type VolumeForecast, type VolumeModel, volumeAhead } from './learn-volumes.ts';
import { AHEAD_HOURS } from './volume-series.ts';

export type VolumeModelRow = ModelRow<VolumeModel, VolumeGroup['platform']>;

interface NewVolumeForecast {
  readonly key: number; // hashtag.key
  readonly madeAt: number;
  readonly forecast: VolumeForecast;
}

/** Rows per transaction, so that other writers get their turn. */
const TAGS_AT_ONCE = 1000;

/** Also marks the Parquet partitions. @returns number of new forecasts */
const store = (
  sqlite: Database.Database,
  batch: readonly NewVolumeForecast[],
  { platform, id }: VolumeModelRow,
): number => {
  const insert = sqlite.prepare(
    `insert into hashtag_forecast
       (hashtag_key, platform, made_at, horizon_hours, volume_median, volume_low, volume_high, model_id)
     values (?, ?, ?, ${AHEAD_HOURS}, ?, ?, ?, ?) on conflict do nothing`,
  );
  const touch = sqlite.prepare(MARK_TOUCHED);
  return sqlite
    .transaction(() => {
      let stored = 0;
      const dates = new Set<string>();
      for (const { key, madeAt, forecast } of batch) {
        const { median, low, high } = forecast;
        const { changes } = insert.run(key, platform, madeAt, median, low, high, id);
        if (changes > 0) dates.add(dateOf(madeAt));
        stored += changes;
      }
      for (const date of dates) touch.run('hashtag_forecasts', date);
      return stored;
    })
    .immediate();
};

/**
 * Forecasts each tracked hashtag of a group from its newest volume, once per snapshot.
 * @returns number of hashtags with a new forecast
 */
export const forecastVolumes = (
  sqlite: Database.Database,
  { group, row, at }: { group: VolumeGroup; row: VolumeModelRow; at: number },
  checkStop: () => void,
): number => {
  const reader = new VolumeReader(sqlite);
  const known = sqlite.prepare(
    'select 1 from hashtag_forecast where hashtag_key = ? and platform = ? and made_at = ?',
  );
  let batch: NewVolumeForecast[] = [];
  let stored = 0;
  const flush = (): void => {
    checkStop();
    stored += store(sqlite, batch, row);
    batch = [];
  };
  for (const key of reader.tracked(group, at)) {
    const series = reader.series(group, key, at);
    const madeAt = series.volumes.at(-1)?.at;
    if (madeAt === undefined || known.get(key, group.platform, madeAt) !== undefined) continue;
    batch.push({
      key,
      madeAt,
      forecast: volumeAhead(row.model, series, series.volumes.length - 1),
    });
    if (batch.length >= TAGS_AT_ONCE) flush();
  }
  if (batch.length > 0) flush();
  return stored;
};

/** @param after Unix ms @returns number of removed rows */
export const removeVolumeForecastsAfter = (sqlite: Database.Database, after: number): number =>
  sqlite.prepare('delete from hashtag_forecast where made_at > ?').run(after).changes;
