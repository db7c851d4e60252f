import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { HORIZONS } from '../model/horizons.ts';
import { TRACKED_MS } from '../model/lake-curves.ts';
import type { HorizonForecast } from '../model/model-forecast.ts';

/** Views ahead; null with too few outcomes. */
export interface KeptHorizon {
  readonly hours: number;
  readonly median: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** A stored forecast. Instants are Unix ms. */
export interface KeptForecast {
  readonly madeAt: number;
  readonly topProbability: number;
  /** Finished curves of its model. */
  readonly samples: number;
  readonly learntAt: number;
  readonly horizons: readonly KeptHorizon[];
}

type Row = KeptHorizon & Omit<KeptForecast, 'horizons'>;

/** The newest forecast of the two days before `at`. */
export const forecastAt = (
  sqlite: Database.Database,
  videoKey: number,
  at: number,
): KeptForecast | undefined => {
  const rows = prepare<Row>(
    sqlite,
    `select f.made_at as madeAt, f.horizon_hours as hours, f.views_median as median, f.views_low as low,
         f.views_high as high, f.top_probability as topProbability, m.samples, m.learnt_at as learntAt
       from forecast f join models m on m.id = f.model_id
       where f.video_key = @videoKey and f.made_at = (
         select max(made_at) from forecast where video_key = @videoKey and made_at > @from and made_at <= @at)
       order by f.horizon_hours`,
    {
      madeAt: 'number',
      hours: 'number',
      median: 'number?',
      low: 'number?',
      high: 'number?',
      topProbability: 'number',
      samples: 'number',
      learntAt: 'number',
    },
  ).all({ videoKey, at, from: at - TRACKED_MS });
  const first = rows[0];
  if (first === undefined) return undefined;
  const { madeAt, topProbability, samples, learntAt } = first;
  const horizons = rows.map(({ hours, median, low, high }) => ({ hours, median, low, high }));
  return { madeAt, topProbability, samples, learntAt, horizons };
};

/** A forecast in an API response, with known horizons only. */
export interface ShownForecast {
  readonly madeAt: string; // ISO 8601
  readonly horizons: HorizonForecast[];
  readonly topProbability: number;
}

export const shownForecast = (
  sqlite: Database.Database,
  videoKey: number,
  at: number,
): ShownForecast | null => {
  const kept = forecastAt(sqlite, videoKey, at);
  if (kept === undefined) return null;
  const horizons = kept.horizons.flatMap(({ hours, median, low, high }) =>
    median === null || low === null || high === null ? [] : [{ hours, median, low, high }],
  );
  return { madeAt: isoOf(kept.madeAt), horizons, topProbability: kept.topProbability };
};

/** A video that may finish on top. */
export interface RisingVideo extends KeptHorizon {
  readonly id: string;
  readonly platform: Platform;
  readonly title: string | null;
  readonly user: string | null;
  /** Count at the snapshot of the forecast. */
  readonly views: number;
  readonly topProbability: number;
  readonly madeAt: number;
}

const RISING = `
  select v.id, v.platform, v.title, v.user, s.views, f.made_at as madeAt, f.horizon_hours as hours,
    f.views_median as median, f.views_low as low, f.views_high as high, f.top_probability as topProbability
  from (
    select video_key, max(made_at) as made_at from forecast indexed by forecast_made_at
    where made_at > @from and made_at <= @at group by video_key
  ) l cross join forecast f on f.video_key = l.video_key and f.made_at = l.made_at and f.horizon_hours = @hours
  cross join video v on v.key = f.video_key and v.platform = @platform
  cross join video_snapshot s on s.video_key = f.video_key and s.observed_at = f.made_at
  order by f.top_probability desc, f.views_median desc, v.id limit @limit offset @offset`;

export interface RisingQuery {
  readonly platform: Platform;
  readonly hours: (typeof HORIZONS)[number];
  /** As of this instant, Unix ms. */
  readonly at: number;
  readonly limit: number;
  readonly offset?: number;
}

/** Videos by probability to finish on top, from forecasts of the two days before `at`. */
export const risingVideos = (
  sqlite: Database.Database,
  { platform, hours, at, limit, offset = 0 }: RisingQuery,
): RisingVideo[] =>
  prepare<RisingVideo>(sqlite, RISING, {
    hours: 'number',
    median: 'number?',
    low: 'number?',
    high: 'number?',
    id: 'text',
    platform: 'text',
    title: 'text?',
    user: 'text?',
    views: 'number',
    topProbability: 'number',
    madeAt: 'number',
  }).all({ platform, hours, at, limit, offset, from: at - TRACKED_MS });

/** The first platform with a forecast at `at`, in the order of PLATFORMS. */
export const firstForecast = (sqlite: Database.Database, at: number): Platform | undefined => {
  const any = prepare(
    sqlite,
    `select 1 from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
       where f.made_at > ? and f.made_at <= ? and v.platform = ? limit 1`,
    'number',
  );
  return PLATFORMS.find((platform) => any.get(at - TRACKED_MS, at, platform) !== undefined);
};

/** Videos of a platform with a forecast at `at`. */
const risingCount = (sqlite: Database.Database, platform: Platform, at: number): number =>
  required(
    prepare(
      sqlite,
      `select count(*) from (
         select distinct video_key from forecast indexed by forecast_made_at where made_at > ? and made_at <= ?
       ) l cross join video v on v.key = l.video_key where v.platform = ?`,
      'number',
    ).get(at - TRACKED_MS, at, platform),
  );

export interface RisingPage {
  readonly total: number;
  /** Ranks count over all pages; instants ISO 8601. */
  readonly items: readonly (Omit<RisingVideo, 'madeAt' | 'hours'> & {
    readonly rank: number;
    readonly madeAt: string;
  })[];
  /** Newest snapshot of the page, Unix ms; null for an empty page. */
  readonly newestAt: number | null;
}

/** Data of `GET /forecasts/{platform}`. */
export const risingPage = (
  sqlite: Database.Database,
  { page, ...query }: Omit<RisingQuery, 'offset'> & { readonly page: number },
): RisingPage => {
  const offset = (page - 1) * query.limit;
  const total = risingCount(sqlite, query.platform, query.at);
  const videos = offset < total ? risingVideos(sqlite, { ...query, offset }) : [];
  return {
    total,
    items: videos.map(({ madeAt, hours: _, ...video }, index) => ({
      rank: offset + index + 1,
      ...video,
      madeAt: isoOf(madeAt),
    })),
    newestAt: videos.reduce<number | null>((at, { madeAt }) => Math.max(at ?? 0, madeAt), null),
  };
};
