import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';
import { watches } from './watches.ts';

/**
 * Results of watched searches and hashtags, one row per watch, instant and rank. Read them as
 * `search_hits`.
 *
 * Written by src/ingest/writers/search-hits.ts. Source: `items[]` of `GET /search`.
 */
export const searchHit = sqliteTable(
  'search_hit',
  {
    watchId: text('watch_id')
      .notNull()
      .references(() => watches.id, { onDelete: 'cascade' }),
    capturedAt: integer('captured_at').notNull(), // Unix ms; instant of the first page
    rank: integer('rank').notNull(), // 1 = top
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    total: integer('total'), // as stated by the service
  },
  (t) => [
    primaryKey({ columns: [t.watchId, t.capturedAt, t.rank] }),
    index('search_hit_video').on(t.videoKey),
  ],
);
