import { sql } from 'drizzle-orm';
import { integer, real, sqliteView, text } from 'drizzle-orm/sqlite-core';
import { isoTime } from './view-sql.ts';

// Public names over stored forecasts.

/** Video forecasts, one row per video, snapshot and horizon. */
export const forecasts = sqliteView('forecasts', {
  videoId: text('video_id').notNull(),
  madeAt: integer('made_at').notNull(), // Unix ms of the snapshot it starts from
  horizonHours: integer('horizon_hours').notNull(),
  viewsMedian: integer('views_median'),
  viewsLow: integer('views_low'), // range of 8 in 10 outcomes
  viewsHigh: integer('views_high'), // range of 8 in 10 outcomes
  topProbability: real('top_probability').notNull(),
  modelId: integer('model_id').notNull(),
}).as(
  sql`select v.id as video_id, f.made_at as made_at, f.horizon_hours as horizon_hours, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, f.top_probability as top_probability, f.model_id as model_id from forecast f join video v on v.key = f.video_key`,
);

/** Models in use: of each platform and kind whose newest model is used. A rejected kind shows nothing. */
const USED_MODELS = sql.raw(
  "select m.id from models m where (select json_extract(n.scores, '$.used') from models n where n.platform = m.platform and n.kind = m.kind order by n.learnt_at desc, n.id desc limit 1) = 1",
);

const newestForecasts = (overEdge: 0 | 1) =>
  sql`select v.platform as platform, cast(row_number() over (partition by v.platform order by f.top_probability desc, f.views_median desc, v.id) as integer) as rank, v.id as id, v.title as title, v.user as user, v.views as views, f.top_probability as top_probability, f.views_median as views_median, f.views_low as views_low, f.views_high as views_high, ${isoTime('f.made_at')} as made_at, cast(f.views_median - s.views as integer) as gain_24h, ${isoTime('f.over_by')} as over_by from (select n.video_key, max(n.made_at) as made_at from forecast n where n.made_at > (select max(a.made_at) from forecast a) - 172800000 and n.model_id in (${USED_MODELS}) group by n.video_key) l join forecast f on f.video_key = l.video_key and f.made_at = l.made_at and f.horizon_hours = 24 join video v on v.key = f.video_key left join video_snapshot s on s.video_key = f.video_key and s.observed_at = f.made_at where f.over_edge = ${sql.raw(String(overEdge))} order by platform, rank`;

const risingColumns = {
  platform: text('platform').notNull(),
  rank: integer('rank').notNull(),
  id: text('id').notNull(),
  title: text('title'),
  user: text('user'),
  views: integer('views'), // latest known
  topProbability: real('top_probability').notNull(),
  viewsMedian: integer('views_median'), // 24 h after `made_at`; null: too few outcomes
  viewsLow: integer('views_low'), // range of 8 in 10 outcomes
  viewsHigh: integer('views_high'), // range of 8 in 10 outcomes
  madeAt: text('made_at').notNull(),
  gain24h: integer('gain_24h'), // `views_median` minus the views at `made_at`
  overBy: text('over_by'), // ISO 8601, UTC by which 8 in 10 similar videos stopped rising
};

/**
 * Videos not yet in the top 10 % of their cohort by growth, the most likely to finish there first.
 * Uses the newest forecast of the last two days.
 */
export const risingNext = sqliteView('rising_next', risingColumns).as(newestForecasts(0));

/** Videos already in the top 10 % of their cohort by growth. Like `rising_next` otherwise. */
export const risen = sqliteView('risen', risingColumns).as(newestForecasts(1));

/** Hashtag volume forecasts, one row per hashtag, platform, snapshot and horizon. */
export const hashtagForecasts = sqliteView('hashtag_forecasts', {
  tag: text('tag').notNull(),
  platform: text('platform').notNull(),
  madeAt: integer('made_at').notNull(), // Unix ms of the snapshot it starts from
  horizonHours: integer('horizon_hours').notNull(),
  volumeMedian: integer('volume_median'),
  volumeLow: integer('volume_low'), // range of 8 in 10 outcomes
  volumeHigh: integer('volume_high'), // range of 8 in 10 outcomes
  modelId: integer('model_id').notNull(),
}).as(
  sql`select h.tag as tag, f.platform as platform, f.made_at as made_at, f.horizon_hours as horizon_hours, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, f.model_id as model_id from hashtag_forecast f join hashtag h on h.key = f.hashtag_key`,
);

/**
 * Hashtags by expected growth of their volume in a week. Uses the newest forecast of the last two
 * days.
 */
export const hashtagsNext = sqliteView('hashtags_next', {
  platform: text('platform').notNull(), // empty: all together
  rank: integer('rank').notNull(),
  tag: text('tag').notNull(),
  window: text('window'), // such as `30d`
  volume: integer('volume'), // at `made_at`
  volumeMedian: integer('volume_median'), // 168 h after `made_at`
  volumeLow: integer('volume_low'), // range of 8 in 10 outcomes
  volumeHigh: integer('volume_high'), // range of 8 in 10 outcomes
  madeAt: text('made_at').notNull(),
}).as(
  sql`select f.platform as platform, cast(row_number() over (partition by f.platform, s.window order by (f.volume_median + 10.0) / (s.volume + 10) desc, f.volume_median desc, h.tag) as integer) as rank, h.tag as tag, s.window as window, s.volume as volume, f.volume_median as volume_median, f.volume_low as volume_low, f.volume_high as volume_high, ${isoTime('f.made_at')} as made_at from (select n.hashtag_key, n.platform, max(n.made_at) as made_at from hashtag_forecast n where n.made_at > (select max(a.made_at) from hashtag_forecast a) - 172800000 group by n.hashtag_key, n.platform) l join hashtag_forecast f on f.hashtag_key = l.hashtag_key and f.platform = l.platform and f.made_at = l.made_at and f.horizon_hours = 168 join hashtag_snapshot s on s.hashtag_key = f.hashtag_key and s.platform = f.platform and s.observed_at = f.made_at join hashtag h on h.key = f.hashtag_key order by f.platform, rank`,
);
