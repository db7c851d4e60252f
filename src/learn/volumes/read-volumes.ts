import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { prepare, type RowOf } from '../../lake/prepare.ts';
import type { ForecastRange } from '../model/misses.ts';
import { TAG_TRACKED_MS } from './lake-volumes.ts';

const KEPT = {
  tag: 'text',
  platform: 'platforms',
  window: 'text?',
  volume: 'number', // at the snapshot of the forecast
  madeAt: 'number',
  median: 'number',
  low: 'number',
  high: 'number',
} as const;

/** A stored forecast of a volume a week ahead. Instants are Unix ms. */
export type KeptVolume = RowOf<typeof KEPT>;

const NEXT = `
  select h.tag, f.platform, s.window, s.volume, f.made_at as madeAt,
    f.volume_median as median, f.volume_low as low, f.volume_high as high
  from (
    select hashtag_key, platform, max(made_at) as made_at
    from hashtag_forecast indexed by hashtag_forecast_made_at
    where made_at > @from and made_at <= @at and platform = @platform group by hashtag_key
  ) l cross join hashtag_forecast f
    on f.hashtag_key = l.hashtag_key and f.platform = l.platform and f.made_at = l.made_at
  cross join hashtag_snapshot s
    on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at
  cross join hashtag h on h.key = f.hashtag_key
  order by (f.volume_median + 10.0) / (s.volume + 10) desc, f.volume_median desc, h.tag limit @limit`;

/** Hashtags by the growth expected of their volume, as forecast in the two days before `at`. */
export const risingHashtags = (
  sqlite: Database.Database,
  { platform, at, limit }: { platform: Platform | ''; at: number; limit: number },
): KeptVolume[] =>
  prepare(sqlite, NEXT, KEPT).all({ platform, at, limit, from: at - TAG_TRACKED_MS });

const OF_TAG = `
  select f.made_at as madeAt, f.volume_median as median, f.volume_low as low, f.volume_high as high
  from hashtag h
  cross join hashtag_forecast f on f.hashtag_key = h.key and f.platform = @platform
  cross join hashtag_snapshot s
    on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at
  where h.tag = @tag and f.made_at > @from and f.made_at <= @at and coalesce(s.window, @window) = @window
  order by f.made_at desc limit 1`;

/** Forecast of one hashtag's volume over a window at `at`; undefined: none. */
export const volumeForecastAt = (
  sqlite: Database.Database,
  {
    tag,
    platform,
    window,
    at,
  }: { tag: string; platform: Platform | ''; window: string; at: number },
): (ForecastRange & { readonly madeAt: number }) | undefined =>
  prepare(sqlite, OF_TAG, {
    madeAt: 'number',
    median: 'number',
    low: 'number',
    high: 'number',
  }).get({ tag, platform, window, at, from: at - TAG_TRACKED_MS });
