import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Items without a usable id or platform. The rest of their page was loaded.
 *
 * Written by src/ingest/writers/rejected-items.ts.
 */
export const rejectedItems = sqliteTable(
  'rejected_items',
  {
    id: integer('id').primaryKey(),
    callId: integer('call_id'), // null: from an import
    origin: text('origin').unique(), // file and line of an import; null: from a call
    reason: text('reason').notNull(),
    item: text('item').notNull(), // JSON as received, up to 64 KiB
    seenAt: integer('seen_at').notNull(), // Unix ms
  },
  (t) => [index('rejected_items_call').on(t.callId)],
);
