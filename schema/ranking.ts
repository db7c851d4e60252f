import { index, integer, primaryKey, real, sqliteTable } from 'drizzle-orm/sqlite-core';
import { capture } from './capture.ts';
import { video } from './video.ts';

/**
 * Ranks in pulled lists. Read them as `rankings`.
 *
 * Written by src/ingest/writers/rankings.ts. Source: `items[]` of `GET /feed` and `GET /trends`.
 */
export const ranking = sqliteTable(
  'ranking',
  {
    captureKey: integer('capture_key')
      .notNull()
      .references(() => capture.key),
    rank: integer('rank').notNull(), // 1 = top
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    score: real('score'), // as pulled
    velocity: real('velocity'), // views per hour, as pulled
  },
  (t) => [primaryKey({ columns: [t.captureKey, t.rank] }), index('ranking_video').on(t.videoKey)],
);
