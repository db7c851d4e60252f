import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * How far detection has come: it has read the snapshots up to `looked_until`.
 * One row, `detectors`. Written by src/events/notice.ts in the transaction that stores the events.
 */
export const eventProgress = sqliteTable('event_progress', {
  name: text('name').primaryKey(),
  lookedUntil: integer('looked_until').notNull(), // Unix ms
});
