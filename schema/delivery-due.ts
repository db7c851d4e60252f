import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { subscriptions } from './subscriptions.ts';

/**
 * When the next delivery of a subscription may leave; no row where none waits. The sender asks it, not
 * every subscription. Written by src/events/delivery-queue.ts.
 */
export const deliveryDue = sqliteTable(
  'delivery_due',
  {
    subscriptionId: text('subscription_id')
      .primaryKey()
      .references(() => subscriptions.id),
    dueAt: integer('due_at').notNull(), // Unix ms; not before the endpoint's pause ends
  },
  (t) => [index('delivery_due_at').on(t.dueAt)],
);
