import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';
import { video } from './video.ts';

/**
 * Hashtags of videos. Read them as `video_hashtags`. A tag that a later response lacks stays.
 *
 * Written by src/ingest/writers/hashtags.ts. Source: the list of the item, or else its title.
 */
export const videoHashtag = sqliteTable(
  'video_hashtag',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    hashtagKey: integer('hashtag_key')
      .notNull()
      .references(() => hashtag.key),
    position: integer('position').notNull(), // 0 = first
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.hashtagKey] }),
    index('video_hashtag_hashtag').on(t.hashtagKey),
  ],
);
