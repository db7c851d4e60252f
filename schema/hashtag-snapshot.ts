import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';

/**
 * A hashtag's volume at one instant, over the window it states: two volumes of different windows, or
 * of different sources, tell nothing of each other. Read it as `hashtag_snapshots`.
 * Source: `GET /hashtags` and imports. Written by src/load/hashtags.ts.
 */
export const hashtagSnapshot = sqliteTable(
  'hashtag_snapshot',
  {
    hashtagKey: integer('hashtag_key')
      .notNull()
      .references(() => hashtag.key),
    platform: text('platform').notNull(), // '' where the response covers all platforms
    observedAt: integer('observed_at').notNull(), // Unix ms
    volume: integer('volume'), // distinct videos with the tag inside `window`
    views: integer('views'),
    change: real('change'), // volume / the volume of the equal window before - 1, as pulled
    rank: integer('rank'), // position in the pulled list; 1 = top
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object of further fields of this observation
    window: text('window'), // what the volume counts over, such as `30d`; null: the source does not say
  },
  (t) => [
    primaryKey({ columns: [t.hashtagKey, t.platform, t.observedAt] }),
    index('hashtag_snapshot_observed_at').on(t.observedAt),
    index('hashtag_snapshot_platform').on(t.platform),
  ],
);
