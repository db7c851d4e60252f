import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Items that could not be kept: no usable id or platform. The page they came on was kept.
 * Written by src/load/rejected-items.ts.
 */
export const rejectedItems = sqliteTable(
  'rejected_items',
  {
    id: integer('id').primaryKey(),
    callId: integer('call_id'), // null: from an import
    origin: text('origin').unique(), // import: file and line; null: from a call
    reason: text('reason').notNull(),
    item: text('item').notNull(), // JSON as received; cut at 64 KiB
    seenAt: integer('seen_at').notNull(), // Unix ms
  },
  (t) => [index('rejected_items_call').on(t.callId)],
);
