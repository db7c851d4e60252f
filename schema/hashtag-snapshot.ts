import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';

/**
 * Hashtag volumes. Read them as `hashtag_snapshots`. Volumes of different windows or sources cannot be
 * compared.
 *
 * Written by src/ingest/writers/hashtags.ts. Source: `GET /hashtags` and imports.
 */
export const hashtagSnapshot = sqliteTable(
  'hashtag_snapshot',
  {
    hashtagKey: integer('hashtag_key')
      .notNull()
      .references(() => hashtag.key),
    platform: text('platform').notNull(), // empty: all together
    observedAt: integer('observed_at').notNull(), // Unix ms
    volume: integer('volume'), // distinct videos in `window`
    views: integer('views'),
    change: real('change'), // volume / volume of the window before - 1, as pulled
    rank: integer('rank'), // 1 = top
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object: other fields of this observation
    window: text('window'), // such as `30d`
  },
  (t) => [
    primaryKey({ columns: [t.hashtagKey, t.platform, t.observedAt] }),
    index('hashtag_snapshot_observed_at').on(t.observedAt),
    index('hashtag_snapshot_platform').on(t.platform),
  ],
);
