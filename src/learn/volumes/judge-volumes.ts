import type Database from 'better-sqlite3';
import type { RowOf } from '../../lake/prepare.ts';
import { type Judged, missesOf } from '../model/misses.ts';
import { modelName, type VolumeModelsRead } from '../model/model-rows.ts';
import { type JudgedSpan, sampledForecasts } from '../model/stored-forecasts.ts';
import { VolumeReader, volumeKind } from './lake-volumes.ts';
import { volumeBaselines } from './learn-volumes.ts';
import { AHEAD_HOURS, AHEAD_MS, logVolume, volumeAfter } from './volume-series.ts';

const KEPT = {
  key: 'number',
  platform: 'platforms',
  source: 'number',
  window: 'text?',
  madeAt: 'number',
  volume: 'number', // at the instant of the forecast
  median: 'number',
  low: 'number',
  high: 'number',
} as const;
type Kept = RowOf<typeof KEPT>;

const OF_HASHTAGS = `
  select f.hashtag_key as key, f.platform, s.source, s.window, f.made_at as madeAt, s.volume,
    f.volume_median as median, f.volume_low as low, f.volume_high as high
  from hashtag_forecast f indexed by hashtag_forecast_made_at
  cross join hashtag_snapshot s on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at
  where f.made_at > @from and f.made_at <= @to and f.hashtag_key % @every = 0 and s.volume is not null
  order by f.hashtag_key, f.platform, s.source, s.window, f.made_at`;

/**
 * Compares volumes as ln(volume + 10). Leaves out forecasts with an unknown outcome.
 * @param models for the usual growth, one of the baselines
 */
export const judgeVolumes = (
  sqlite: Database.Database,
  models: VolumeModelsRead['models'],
  { from, to, at }: JudgedSpan,
): Judged[] => {
  const reader = new VolumeReader(sqlite);
  const query = { table: 'hashtag_forecast', sql: OF_HASHTAGS, shape: KEPT } as const;
  const due = { from, to: Math.min(to, at - AHEAD_MS), at };
  const bySeries = Map.groupBy(
    sampledForecasts(sqlite, query, due),
    ({ key, platform, source, window }) => `${key} ${platform} ${source} ${window}`,
  );
  return [...bySeries.values()].flatMap((forecasts) => {
    const { key, platform, source, window } = forecasts[0] as Kept;
    const group = { platform, source, window };
    const { volumes } = reader.series(group, key, at);
    const kind = volumeKind(group);
    const model = models.get(modelName(platform, kind))?.model;
    return forecasts.flatMap((forecast): Judged[] => {
      const { madeAt, volume } = forecast;
      // the series as known then: `volumes` has only the last one of each day
      const then = [...volumes.filter((day) => day.at < madeAt), { at: madeAt, volume }];
      const position = then.length - 1;
      const later = volumes.filter((day) => day.at > madeAt);
      const truth = volumeAfter({ key, volumes: [...then, ...later] }, position);
      if (truth === undefined) return [];
      const usual = volumeBaselines({ usual: model?.usual ?? 0 }, { key, volumes: then }, position);
      const guesses = { ...usual, ...(model === undefined ? { cohortMedian: null } : {}) };
      const misses = missesOf(forecast, guesses, { truth, log: logVolume });
      return [{ platform, kind, madeAt, hours: AHEAD_HOURS, ...misses }];
    });
  });
};
