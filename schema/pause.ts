import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Until when nobody may send, because the service asked to wait. At most one row a key.
 * Written by src/throttle/pause.ts.
 */
export const pause = sqliteTable('pause', {
  id: integer('id').primaryKey(),
  setAt: integer('set_at').notNull(), // Unix ms
  untilAt: integer('until_at').notNull(), // Unix ms
  boot: text('boot').notNull(), // what until_mono is valid in
  untilMono: integer('until_mono').notNull(), // monotonic ms
  resumesAt: integer('resumes_at').notNull(), // Unix ms; how long the service asked for in all
  reason: text('reason').notNull(), // its response, in words
  key: text('key').notNull().default('').unique('pause_key'), // name of the key, as in `calls`; '' where there is only one
});
