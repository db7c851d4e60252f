import { index, integer, primaryKey, real, sqliteTable } from 'drizzle-orm/sqlite-core';
import { models } from './models.ts';
import { video } from './video.ts';

/**
 * Video forecasts. Read them as `forecasts`.
 *
 * Written by src/learn/forecast/forecast-rows.ts, once per newest snapshot of a video; never changed later,
 * so that a forecast can be checked. Source: the model in use at that time.
 */
export const forecast = sqliteTable(
  'forecast',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    madeAt: integer('made_at').notNull(), // Unix ms of the snapshot it starts from
    horizonHours: integer('horizon_hours').notNull(), // from `made_at`
    viewsMedian: integer('views_median'), // null: too few outcomes
    viewsLow: integer('views_low'), // range of 8 in 10 outcomes
    viewsHigh: integer('views_high'), // range of 8 in 10 outcomes
    topProbability: real('top_probability').notNull(), // to finish in the top 10 % of its cohort
    modelId: integer('model_id')
      .notNull()
      .references(() => models.id),
    overEdge: integer('over_edge').notNull().default(0), // 1: its growth already reached the edge of the top 10 %
    overBy: integer('over_by'), // Unix ms by which 8 in 10 similar videos stopped rising
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.madeAt, t.horizonHours] }),
    index('forecast_made_at').on(t.madeAt),
  ],
);
