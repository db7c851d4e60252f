import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { subscriptions } from './subscriptions.ts';

/**
 * Due time of the next delivery of each subscription that has one waiting.
 *
 * Written by src/alerts/events/delivery-queue.ts. The sender reads this index instead of every subscription.
 */
export const deliveryDue = sqliteTable(
  'delivery_due',
  {
    subscriptionId: text('subscription_id')
      .primaryKey()
      .references(() => subscriptions.id),
    dueAt: integer('due_at').notNull(), // Unix ms, after any pause of the endpoint
  },
  (t) => [index('delivery_due_at').on(t.dueAt)],
);
