import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { HORIZONS } from '../model/horizons.ts';
import { TRACKED_MS } from '../model/observations.ts';
import type { KeptForecast, RisingList, RisingPage, RisingVideo, ShownForecast } from './shapes.ts';

/** Models in use as of @at. A kind whose newest model was rejected shows nothing. */
const USED_MODELS = `
  select m.id from models m where m.learnt_at <= @at and (
    select json_extract(n.scores, '$.used') from models n
    where n.platform = m.platform and n.kind = m.kind and n.learnt_at <= @at
    order by n.learnt_at desc, n.id desc limit 1) = 1`;

/** The newest forecast of the two days before `at`. */
export const forecastAt = (
  sqlite: Database.Database,
  videoKey: number,
  at: number,
): KeptForecast | undefined => {
  const rows = prepare(
    sqlite,
    `select f.made_at as madeAt, f.horizon_hours as hours, f.views_median as median, f.views_low as low,
         f.views_high as high, f.top_probability as topProbability, f.over_edge as overEdge, f.over_by as overBy,
         m.samples, m.learnt_at as learntAt
       from forecast f join models m on m.id = f.model_id
       where f.video_key = @videoKey and f.made_at = (
         select max(made_at) from forecast
         where video_key = @videoKey and made_at > @from and made_at <= @at and model_id in (${USED_MODELS}))
       order by f.horizon_hours`,
    {
      madeAt: 'number',
      hours: 'number',
      median: 'number?',
      low: 'number?',
      high: 'number?',
      topProbability: 'number',
      overEdge: 'number',
      overBy: 'number?',
      samples: 'number',
      learntAt: 'number',
    },
  ).all({ videoKey, at, from: at - TRACKED_MS });
  const first = rows[0];
  if (first === undefined) return undefined;
  const { madeAt, topProbability, overEdge, overBy, samples, learntAt } = first;
  const horizons = rows.map(({ hours, median, low, high }) => ({ hours, median, low, high }));
  return { madeAt, topProbability, overEdge: overEdge === 1, overBy, samples, learntAt, horizons };
};

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
  const { madeAt, topProbability, overEdge, overBy } = kept;
  const over = overBy === null ? null : isoOf(overBy);
  return { madeAt: isoOf(madeAt), horizons, topProbability, overEdge, overBy: over };
};

/** Newest forecasts of the videos of a list. Binds @from, @at and @overEdge. */
const newestOfList = (hours: string): string => `(
    select video_key, max(made_at) as made_at from forecast indexed by forecast_made_at
    where made_at > @from and made_at <= @at and model_id in (${USED_MODELS}) group by video_key
  ) l cross join forecast f on f.video_key = l.video_key and f.made_at = l.made_at
    and f.horizon_hours = ${hours} and f.over_edge = @overEdge
  cross join video v on v.key = f.video_key and v.platform = @platform`;

const RISING = `
  select v.id, v.platform, v.title, v.user, s.views, f.made_at as madeAt, f.horizon_hours as hours,
    f.views_median as median, f.views_low as low, f.views_high as high, f.top_probability as topProbability,
    d.views_median - s.views as gain24h, f.over_by as overBy
  from ${newestOfList('@hours')}
  cross join forecast d on d.video_key = f.video_key and d.made_at = f.made_at and d.horizon_hours = 24
  cross join video_snapshot s on s.video_key = f.video_key and s.observed_at = f.made_at
  order by f.top_probability desc, f.views_median desc, v.id limit @limit offset @offset`;

export interface RisingQuery {
  readonly platform: Platform;
  /** Videos not yet over the edge of the top 10 %, or those over it. */
  readonly list?: RisingList;
  readonly hours: (typeof HORIZONS)[number];
  /** As of this instant, Unix ms. */
  readonly at: number;
  readonly limit: number;
  readonly offset?: number;
}

const codeOf = (list: RisingList): 0 | 1 => (list === 'risen' ? 1 : 0);

/** Videos by probability to finish on top, from forecasts of the two days before `at`. */
export const risingVideos = (
  sqlite: Database.Database,
  { platform, list = 'next', hours, at, limit, offset = 0 }: RisingQuery,
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
    gain24h: 'number?',
    overBy: 'number?',
  }).all({ platform, overEdge: codeOf(list), hours, at, limit, offset, from: at - TRACKED_MS });

/** The first platform with a forecast at `at`, in the order of PLATFORMS. */
export const firstForecast = (sqlite: Database.Database, at: number): Platform | undefined => {
  const any = prepare(
    sqlite,
    `select 1 from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
       where f.made_at > @from and f.made_at <= @at and v.platform = @platform and f.model_id in (${USED_MODELS}) limit 1`,
    'number',
  );
  return PLATFORMS.find(
    (platform) => any.get({ from: at - TRACKED_MS, at, platform }) !== undefined,
  );
};

/** Videos of a list at `at`. */
const risingCount = (
  sqlite: Database.Database,
  { platform, list = 'next', at }: Pick<RisingQuery, 'platform' | 'list' | 'at'>,
): number =>
  required(
    prepare(sqlite, `select count(*) from ${newestOfList('24')}`, 'number').get({
      from: at - TRACKED_MS,
      at,
      platform,
      overEdge: codeOf(list),
    }),
  );

/** Data of `GET /forecasts/{platform}`. */
export const risingPage = (
  sqlite: Database.Database,
  { page, ...query }: Omit<RisingQuery, 'offset'> & { readonly page: number },
): RisingPage => {
  const offset = (page - 1) * query.limit;
  const total = risingCount(sqlite, query);
  const videos = offset < total ? risingVideos(sqlite, { ...query, offset }) : [];
  return {
    total,
    items: videos.map(({ madeAt, overBy, hours: _, ...video }, index) => ({
      rank: offset + index + 1,
      ...video,
      madeAt: isoOf(madeAt),
      overBy: overBy === null ? null : isoOf(overBy),
    })),
    newestAt: videos.reduce<number | null>((at, { madeAt }) => Math.max(at ?? 0, madeAt), null),
  };
};
