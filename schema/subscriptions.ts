import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Who wants to be told of events, where and of which. Written by src/webhooks/subscriptions.ts;
 * switched off by src/webhooks/deliveries.ts.
 */
export const subscriptions = sqliteTable('subscriptions', {
  id: text('id').primaryKey(),
  url: text('url').notNull(),
  secret: text('secret').notNull(), // empty: secrets lie in `service.db`, since 0.2
  previousSecret: text('previous_secret'), // null, likewise
  previousSecretUntil: integer('previous_secret_until'), // null, likewise
  filter: text('filter').notNull(), // JSON: {events, platforms, subjects}; an empty list is all
  allowLoopbackHttp: integer('allow_loopback_http').notNull(), // 1: plain http to this machine
  keyId: text('key_id'), // the service key that made it; null: the command line
  createdAt: integer('created_at').notNull(), // Unix ms
  disabledAt: integer('disabled_at'), // Unix ms
  disabledReason: text('disabled_reason'),
  failingSince: integer('failing_since'), // Unix ms; first failure since the last success
  pausedUntil: integer('paused_until'), // Unix ms; the endpoint asked for quiet (Retry-After)
});
