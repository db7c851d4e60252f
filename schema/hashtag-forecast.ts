import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';
import { models } from './models.ts';

/**
 * Hashtag volume forecasts. Read them as `hashtag_forecasts`.
 *
 * Written by src/learn/volumes/volume-rows.ts, once per newest snapshot of a hashtag; never
 * changed later. Source: the model in use at that time.
 */
export const hashtagForecast = sqliteTable(
  'hashtag_forecast',
  {
    hashtagKey: integer('hashtag_key')
      .notNull()
      .references(() => hashtag.key),
    platform: text('platform').notNull(), // empty: all together
    madeAt: integer('made_at').notNull(), // Unix ms of the snapshot it starts from
    horizonHours: integer('horizon_hours').notNull(), // from `made_at`
    volumeMedian: integer('volume_median').notNull(),
    volumeLow: integer('volume_low').notNull(), // range of 8 in 10 outcomes
    volumeHigh: integer('volume_high').notNull(), // range of 8 in 10 outcomes
    modelId: integer('model_id')
      .notNull()
      .references(() => models.id),
  },
  (t) => [
    primaryKey({ columns: [t.hashtagKey, t.platform, t.madeAt, t.horizonHours] }),
    index('hashtag_forecast_made_at').on(t.madeAt),
  ],
);
