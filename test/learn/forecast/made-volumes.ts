import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import type { DailyVolumes } from '../../../src/learn/volumes/volume-series.ts';
import { RandomStream } from '../../../src/sandbox/world/random-stream.ts';

export const V0: number = Date.UTC(2026, 0, 1);

/**
 * A made-up hashtag whose daily growth goes on by nine tenths and a share of chance: what comes in a
 * week has a known distribution, the same at every time.
 */
const madeSeries = (key: number, days: number): DailyVolumes => {
  const random = new RandomStream(0x7a, key);
  let log = random.between(4, 9);
  let drift = 0.023 * random.normal();
  const volumes = Array.from({ length: days }, (_, day) => {
    log += drift + 0.005 * random.normal();
    drift = 0.9 * drift + 0.01 * random.normal();
    return { at: V0 + day * DAY_MS, volume: Math.round(Math.exp(log)) };
  });
  return { key, volumes };
};

/** Hashtags watched every day, the first over all `days`. */
export const madeVolumes = (count: number, days: number): DailyVolumes[] =>
  Array.from({ length: count }, (_, key) => madeSeries(key + 1, days));

/** The part of each series that was known at an instant. */
export const volumesBy = (series: readonly DailyVolumes[], at: number): DailyVolumes[] =>
  series.flatMap(({ key, volumes }) => {
    const known = volumes.filter((volume) => volume.at <= at);
    return known.length === 0 ? [] : [{ key, volumes: known }];
  });

/** Puts volumes into a lake as pulled lists over 30 days would have. */
export const putVolumes = (lake: Lake, series: readonly DailyVolumes[]): void => {
  const builder = new LakeBuilder(lake);
  builder.transaction(() => {
    for (const { key, volumes } of series)
      for (const { at, volume } of volumes)
        builder.hashtag({ tag: `tag${key}`, platform: '', at, volume, rank: key, window: '30d' });
  });
};
