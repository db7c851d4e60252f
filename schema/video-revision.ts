import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * Titles, handles and hashtags that a video no longer has, each with the instant until which it had them.
 * A video that never changed has no row. As of an instant T a video's words are those of its
 * first revision with `until_at` > T, else those in `video`.
 * Written by src/load/revisions.ts when an observation changes the title, the handle or the hashtags, in
 * whatever order observations come.
 */
export const videoRevision = sqliteTable(
  'video_revision',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    untilAt: integer('until_at').notNull(), // Unix ms; the observation that first saw the new words
    title: text('title'),
    user: text('user'),
    tags: text('tags'), // keys of its hashtags in their order, by comma; null: not known
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.untilAt] }),
    index('video_revision_until_at').on(t.untilAt), // whose words differed at an instant
    index('video_revision_user').on(t.user), // a creator's videos of when it had another handle
  ],
);
