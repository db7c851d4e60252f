import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Pauses that the service asked for, at most one row per key.
 *
 * Written by src/upstream/throttle/pause.ts.
 */
export const pause = sqliteTable('pause', {
  id: integer('id').primaryKey(),
  setAt: integer('set_at').notNull(), // Unix ms
  untilAt: integer('until_at').notNull(), // Unix ms
  boot: text('boot').notNull(), // boot that until_mono is valid in
  untilMono: integer('until_mono').notNull(), // monotonic ms
  resumesAt: integer('resumes_at').notNull(), // Unix ms; end of the whole wait
  reason: text('reason').notNull(), // response of the service
  key: text('key').notNull().default('').unique('pause_key'), // name of the key; empty if there is only one
});
