import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Progress of event detection. One row, `detectors`.
 *
 * Written by src/alerts/events/notice.ts in the transaction that stores the events.
 */
export const eventProgress = sqliteTable('event_progress', {
  name: text('name').primaryKey(),
  lookedUntil: integer('looked_until').notNull(), // Unix ms; snapshots up to here were read
});
