import { index, integer, primaryKey, real, sqliteTable } from 'drizzle-orm/sqlite-core';
import { capture } from './capture.ts';
import { video } from './video.ts';

/**
 * Where one video stood in one snapshot of one list. Read it as `rankings`.
 * Source: `items[]` of `GET /feed` and `GET /trends`. Written by src/load/rankings.ts.
 */
export const ranking = sqliteTable(
  'ranking',
  {
    captureKey: integer('capture_key')
      .notNull()
      .references(() => capture.key),
    rank: integer('rank').notNull(), // 1 = top; the position in the pulled list
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    score: real('score'), // as pulled
    velocity: real('velocity'), // views per hour, as pulled
  },
  (t) => [primaryKey({ columns: [t.captureKey, t.rank] }), index('ranking_video').on(t.videoKey)],
);
