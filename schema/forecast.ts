import { index, integer, primaryKey, real, sqliteTable } from 'drizzle-orm/sqlite-core';
import { models } from './models.ts';
import { video } from './video.ts';

/**
 * What was forecast of a video from one of its snapshots. Read it as `forecasts`.
 *
 * Source: the model in force then. Written by src/forecast/forecast-rows.ts, once for each snapshot
 * that was a video's newest when forecasts were made; never changed later, so that anybody can hold
 * it against what came.
 */
export const forecast = sqliteTable(
  'forecast',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    madeAt: integer('made_at').notNull(), // Unix ms; the snapshot it stands on
    horizonHours: integer('horizon_hours').notNull(), // counted from made_at
    viewsMedian: integer('views_median'), // null: too few outcomes to say
    viewsLow: integer('views_low'), // 80 % of what comes lies between low and high
    viewsHigh: integer('views_high'),
    topProbability: real('top_probability').notNull(), // of ending in the top tenth of its cohort
    modelId: integer('model_id')
      .notNull()
      .references(() => models.id),
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.madeAt, t.horizonHours] }),
    index('forecast_made_at').on(t.madeAt),
  ],
);
