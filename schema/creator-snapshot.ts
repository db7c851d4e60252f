import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { creator } from './creator.ts';

/**
 * A creator's counts at one instant. Read it as `creator_snapshots`.
 * Source: `GET /creators/{platform}/{handle}` (its counts and its `growth`) and imports.
 * Written by src/load/creators.ts.
 */
export const creatorSnapshot = sqliteTable(
  'creator_snapshot',
  {
    creatorKey: integer('creator_key')
      .notNull()
      .references(() => creator.key),
    observedAt: integer('observed_at').notNull(), // Unix ms
    followers: integer('followers'), // as counted then
    videoCount: integer('video_count'),
    views: integer('views'),
    likes: integer('likes'),
    source: integer('source').notNull(), // position in SOURCES
    extra: text('extra'), // JSON object of further fields of this observation
  },
  (t) => [
    primaryKey({ columns: [t.creatorKey, t.observedAt] }),
    index('creator_snapshot_observed_at').on(t.observedAt),
  ],
);
