import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { type JudgedSpan, sampledForecasts } from '../model/kept-forecasts.ts';
import { type ForecastRange, type Misses, missesOf } from '../model/misses.ts';
import { type ModelsRead, modelName } from '../model/model-rows.ts';
import { type VolumeGroup, VolumeReader, volumeKind } from './lake-volumes.ts';
import { type VolumeModel, volumeBaselines } from './learn-volumes.ts';
import { AHEAD_MS, type DailyVolumes, logVolume, volumeAfter } from './volume-series.ts';

/** One kept forecast of a volume held against what came, on ln(volume + 10). */
export interface JudgedVolume extends Misses {
  readonly platform: VolumeGroup['platform'];
  readonly kind: string;
  readonly madeAt: number;
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

/** The series as it was known at one of its instants, that instant's volume last. */
const cutAt = ({ key, volumes }: DailyVolumes, madeAt: number, volume: number): DailyVolumes => ({
  key,
  volumes: [...volumes.filter(({ at }) => at < madeAt), { at: madeAt, volume }],
});

/**
 * Holds kept forecasts of volumes made between two instants against what the lake knows at `at`; those
 * whose outcome is not known are left out.
 * @param models for the usual growth, one of the baselines
 */
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
  return [...bySeries.values()].flatMap((its) => {
    const { key, platform, source, window } = its[0] as Row;
    const group = { platform, source, window };
    const series = reader.series(group, key, at);
    const kind = volumeKind(group);
    const model = models.get(modelName(platform, kind))?.model;
    return its.flatMap((forecast): JudgedVolume[] => {
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
      return [{ platform, kind, madeAt, ...misses }];
    });
  });
};

/** Volumes are judged over so long: forecasts made a week before that came due in it count too. */
export const JUDGED_VOLUMES_MS: number = 28 * DAY_MS + AHEAD_MS;
