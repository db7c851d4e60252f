import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { hashtag } from './hashtag.ts';
import { video } from './video.ts';

/**
 * Which hashtags a video carries. Read it as `video_hashtags`.
 * Source: the item's own list, else parsed from its title. Written by src/load/hashtags.ts.
 * A tag that a later response leaves out stays: absence is not deletion.
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
    position: integer('position').notNull(), // 0 = first in the item's list or title
  },
  (t) => [
    primaryKey({ columns: [t.videoKey, t.hashtagKey] }),
    index('video_hashtag_hashtag').on(t.hashtagKey),
  ],
);
