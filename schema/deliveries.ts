import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { events } from './events.ts';
import { subscriptions } from './subscriptions.ts';

/**
 * Webhook outbox: one row per event and subscription. The id is `<event id>.<subscription id>` and is
 * the `webhook-id` of every attempt.
 *
 * Written by src/alerts/events/delivery-queue.ts, queued in the transaction that stores the event.
 */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: text('id').primaryKey(),
    eventId: text('event_id')
      .notNull()
      .references(() => events.id),
    subscriptionId: text('subscription_id')
      .notNull()
      .references(() => subscriptions.id),
    state: text('state').notNull(), // `pending`, `delivered`, `failed`
    queuedAt: integer('queued_at').notNull(), // Unix ms
    attempts: integer('attempts').notNull(),
    nextAttemptAt: integer('next_attempt_at'), // Unix ms; null: finished
    lastStatus: integer('last_status'), // HTTP status of the last attempt
    lastError: text('last_error'), // of the last failure
    lastAnswer: text('last_answer'), // its response, up to 1 KiB
    lastAttemptAt: integer('last_attempt_at'), // Unix ms
    lastDurationMs: integer('last_duration_ms'),
    deliveredAt: integer('delivered_at'), // Unix ms
  },
  (t) => [
    index('deliveries_due').on(t.subscriptionId, t.state, t.nextAttemptAt),
    index('deliveries_event').on(t.eventId),
  ],
);
