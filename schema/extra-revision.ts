import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * Further fields that a video no longer has as they were, each with the instant until which it did.
 * As of an instant T a field is as the earliest change after T says, else as in `video.extra`.
 * Written by src/load/videos.ts.
 */
export const extraRevision = sqliteTable(
  'extra_revision',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    untilAt: integer('until_at').notNull(), // Unix ms; the observation that first saw the new values
    fields: text('fields').notNull(), // JSON object: a field as it was, in an array; an empty one where it was not there
  },
  (t) => [primaryKey({ columns: [t.videoKey, t.untilAt] })],
);
