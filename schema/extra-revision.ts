import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { video } from './video.ts';

/**
 * Earlier values of fields outside the interface. The value at time T is in the first revision with
 * `until_at` > T, or else in `video.extra`.
 *
 * Written by src/ingest/writers/videos.ts.
 */
export const extraRevision = sqliteTable(
  'extra_revision',
  {
    videoKey: integer('video_key')
      .notNull()
      .references(() => video.key),
    untilAt: integer('until_at').notNull(), // Unix ms; first observation of the next values
    fields: text('fields').notNull(), // JSON object of arrays: the earlier value, or empty if absent
  },
  (t) => [primaryKey({ columns: [t.videoKey, t.untilAt] })],
);
