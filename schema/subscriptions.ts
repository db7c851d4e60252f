import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Webhook subscriptions.
 *
 * Written by src/alerts/webhooks/subscriptions.ts; disabled by src/alerts/webhooks/deliveries.ts.
 */
export const subscriptions = sqliteTable('subscriptions', {
  id: text('id').primaryKey(),
  url: text('url').notNull(),
  secret: text('secret').notNull(), // empty since 0.2: secrets are in `service.db`
  previousSecret: text('previous_secret'), // null since 0.2
  previousSecretUntil: integer('previous_secret_until'), // null since 0.2
  filter: text('filter').notNull(), // JSON: {events, platforms, subjects}; an empty list means all
  allowLoopbackHttp: integer('allow_loopback_http').notNull(), // 1: http to this machine is allowed
  keyId: text('key_id'), // service key that made it; null: the command line
  createdAt: integer('created_at').notNull(), // Unix ms
  disabledAt: integer('disabled_at'), // Unix ms
  disabledReason: text('disabled_reason'),
  failingSince: integer('failing_since'), // Unix ms; first failure since the last success
  pausedUntil: integer('paused_until'), // Unix ms; from Retry-After of the endpoint
});
