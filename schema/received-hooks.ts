import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What the upstream posted to `/hooks/upstream`, signature verified, as it came. The id makes a
 * repeat harmless: it is the sender's message id, or the body's hash where only the body is signed.
 * Written by src/webhooks/receive.ts.
 */
export const receivedHooks = sqliteTable('received_hooks', {
  id: text('id').primaryKey(),
  receivedAt: integer('received_at').notNull(), // Unix ms
  type: text('type'), // the body's `type`; null where it has none
  eventId: text('event_id'), // the event it was stored as; null for unknown kinds
  body: text('body').notNull(), // JSON as received
});
