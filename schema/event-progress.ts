import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * How far the detectors have looked: observations up to `looked_until` were seen by them.
 * One row, `detectors`. Written by src/events/notice.ts in the transaction that stores the events.
 */
export const eventProgress = sqliteTable('event_progress', {
  name: text('name').primaryKey(),
  lookedUntil: integer('looked_until').notNull(), // Unix ms
});
