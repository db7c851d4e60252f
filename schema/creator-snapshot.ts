import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { creator } from './creator.ts';

/**
 * Counts of creators. Read them as `creator_snapshots`.
 *
 * Written by src/ingest/writers/creators.ts. Source: `GET /creators/{platform}/{handle}` (its counts and its
 * `growth`) and imports.
 */
export const creatorSnapshot = sqliteTable(
  'creator_snapshot',
  {
    creatorKey: integer('creator_key')
      .notNull()
      .references(() => creator.key),
    observedAt: integer('observed_at').notNull(), // Unix ms
    followers: integer('followers'), // at that time
    videoCount: integer('video_count'), // published videos
    views: integer('views'), // total of all videos
    likes: integer('likes'), // total of all videos
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object: other fields of this observation
  },
  (t) => [
    primaryKey({ columns: [t.creatorKey, t.observedAt] }),
    index('creator_snapshot_observed_at').on(t.observedAt),
  ],
);
