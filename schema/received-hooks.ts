import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Webhooks received at `/hooks/upstream`, after their signature was verified. The id makes repeats
 * harmless.
 *
 * Written by src/alerts/webhooks/receive.ts. The id is the message id of the sender, or a hash of the body if
 * only the body is signed.
 */
export const receivedHooks = sqliteTable('received_hooks', {
  id: text('id').primaryKey(),
  receivedAt: integer('received_at').notNull(), // Unix ms
  type: text('type'), // `type` of the body
  eventId: text('event_id'), // the stored event; null: unknown kind
  body: text('body').notNull(), // JSON as received
});
