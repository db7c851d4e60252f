import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * Earlier titles, handles and hashtags of a video. Its words at time T are in the first revision with
 * `until_at` > T, or else in `video`.
 *
 * Written by src/ingest/writers/revisions.ts when an observation changes the title, the handle or the hashtags,
 * in any order of observations.
 */
export const videoRevision = sqliteTable(
  'video_revision',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    untilAt: integer('until_at').notNull(), // Unix ms; first observation of the next words
    title: text('title'),
    user: text('user'),
    tags: text('tags'), // keys of its hashtags in order, comma-separated; null: unknown
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.untilAt] }),
    index('video_revision_until_at').on(t.untilAt), // whose words differed at an instant
    index('video_revision_user').on(t.user), // a creator's videos of when it had another handle
  ],
);
