import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { type JudgedSpan, sampledForecasts } from '../model/kept-forecasts.ts';
import { type ForecastRange, type Misses, missesOf } from '../model/misses.ts';
import { type ModelsRead, modelName } from '../model/model-rows.ts';
import { type VolumeGroup, VolumeReader, volumeKind } from './lake-volumes.ts';
import { type VolumeModel, volumeBaselines } from './learn-volumes.ts';
import {
  AHEAD_HOURS,
  AHEAD_MS,
  type DailyVolumes,
  logVolume,
  volumeAfter,
} from './volume-series.ts';

/** One stored forecast compared with the outcome, as ln(volume + 10). */
export interface JudgedVolume extends Misses {
  readonly platform: VolumeGroup['platform'];
  readonly kind: string;
  readonly madeAt: number;
  readonly hours: number;
}

interface Row extends VolumeGroup, ForecastRange {
  readonly key: number;
  readonly madeAt: number;
}

const QUERY = {
  table: 'hashtag_forecast',
  sql: `
  select f.hashtag_key as key, f.platform, s.source, s.window, f.made_at as madeAt,
    f.volume_median as median, f.volume_low as low, f.volume_high as high
  from hashtag_forecast f indexed by hashtag_forecast_made_at
  cross join hashtag_snapshot s on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at
  where f.made_at > @from and f.made_at <= @to and f.hashtag_key % @every = 0
  order by f.hashtag_key, f.platform, s.source, s.window, f.made_at`,
  shape: {
    key: 'number',
    platform: 'text',
    source: 'number',
    window: 'text?',
    madeAt: 'number',
    median: 'number',
    low: 'number',
    high: 'number',
  },
} as const;

/** The series as known at `madeAt`, ending with the volume of that instant. */
const cutAt = ({ key, volumes }: DailyVolumes, madeAt: number, volume: number): DailyVolumes => ({
  key,
  volumes: [...volumes.filter(({ at }) => at < madeAt), { at: madeAt, volume }],
});

/** Leaves out forecasts with an unknown outcome. @param models for the usual growth, one of the baselines */
export const judgeVolumes = (
  sqlite: Database.Database,
  models: ModelsRead<VolumeModel, VolumeGroup['platform']>['models'],
  { from, to, at }: JudgedSpan,
): JudgedVolume[] => {
  const reader = new VolumeReader(sqlite);
  const due = { from, to: Math.min(to, at - AHEAD_MS), at };
  const rows = sampledForecasts<Row>(sqlite, QUERY, due);
  const volumeThen = prepare(
    sqlite,
    'select volume from hashtag_snapshot where hashtag_key = ? and platform = ? and observed_at = ?',
    'number?',
  );
  const bySeries = Map.groupBy(
    rows,
    ({ key, platform, source, window }) => `${key} ${platform} ${source} ${window}`,
  );
  return [...bySeries.values()].flatMap((forecasts) => {
    const { key, platform, source, window } = forecasts[0] as Row;
    const group = { platform, source, window };
    const series = reader.series(group, key, at);
    const kind = volumeKind(group);
    const model = models.get(modelName(platform, kind))?.model;
    return forecasts.flatMap((forecast): JudgedVolume[] => {
      const { madeAt } = forecast;
      const volume = required(volumeThen.get(key, platform, madeAt));
      if (volume === null) return [];
      const then = cutAt(series, madeAt, volume);
      const position = then.volumes.length - 1;
      const later = series.volumes.filter(({ at: day }) => day > madeAt);
      const truth = volumeAfter({ key, volumes: [...then.volumes, ...later] }, position);
      if (truth === undefined) return [];
      const usual = volumeBaselines({ usual: model?.usual ?? 0 }, then, position);
      const guesses = { ...usual, ...(model === undefined ? { cohortMedian: null } : {}) };
      const misses = missesOf(forecast, guesses, { truth, log: logVolume });
      return [{ platform, kind, madeAt, hours: AHEAD_HOURS, ...misses }];
    });
  });
};

/** Four weeks, plus the week until their first forecasts come due. */
export const JUDGED_VOLUMES_MS: number = 28 * DAY_MS + AHEAD_MS;
