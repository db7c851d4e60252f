import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';
import { models } from './models.ts';

/**
 * What was forecast of a hashtag's volume from one of its snapshots. Read it as `hashtag_forecasts`.
 *
 * Source: the model in force then. Written by src/forecast/hashtags/volume-rows.ts, once for each
 * snapshot that was a hashtag's newest when forecasts were made; never changed later.
 */
export const hashtagForecast = sqliteTable(
  'hashtag_forecast',
  {
    hashtagKey: integer('hashtag_key')
      .notNull()
      .references(() => hashtag.key),
    platform: text('platform').notNull(), // '' where the volume covers all platforms
    madeAt: integer('made_at').notNull(), // Unix ms; the snapshot it stands on
    horizonHours: integer('horizon_hours').notNull(), // counted from made_at
    volumeMedian: integer('volume_median').notNull(),
    volumeLow: integer('volume_low').notNull(), // 80 % of what comes lies between low and high
    volumeHigh: integer('volume_high').notNull(),
    modelId: integer('model_id')
      .notNull()
      .references(() => models.id),
  },
  (t) => [
    primaryKey({ columns: [t.hashtagKey, t.platform, t.madeAt, t.horizonHours] }),
    index('hashtag_forecast_made_at').on(t.madeAt),
  ],
);
