import type Database from 'better-sqlite3';
import { dateOf } from '../../base/iso.ts';
import { MARK_TOUCHED } from '../../lake/touched-partitions.ts';
import type { ModelRow } from '../model/model-rows.ts';
import { type VolumeGroup, VolumeReader } from './lake-volumes.ts';
import { type VolumeForecast, type VolumeModel, volumeAhead } from './learn-volumes.ts';
import { AHEAD_HOURS } from './volume-series.ts';

/** A model of volumes as the lake keeps it. */
export type VolumeModelRow = ModelRow<VolumeModel, VolumeGroup['platform']>;

/** A forecast as it is kept: one hashtag, one snapshot. */
interface NewVolumeForecast {
  readonly key: number; // hashtag.key
  readonly madeAt: number;
  readonly forecast: VolumeForecast;
}

/** Rows of one transaction: others write in between. */
const TAGS_AT_ONCE = 1000;

/** Writes forecasts, and marks their Parquet partitions, in one transaction. @returns how many were new */
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
 * Forecasts the volume of every hashtag of a group seen in the two days before `at`, from its newest,
 * once: a snapshot that was forecast from keeps its forecast.
 * @returns hashtags with a new forecast
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

/** Removes forecasts of hashtags made after an instant (Unix ms). @returns how many */
export const removeVolumeForecastsAfter = (sqlite: Database.Database, after: number): number =>
  sqlite.prepare('delete from hashtag_forecast where made_at > ?').run(after).changes;
