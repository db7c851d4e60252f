import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Alerts of users: each is one SELECT that runs after every complete run. Its rows are the alert.
 *
 * Written by src/alerts/rules/alert-store.ts.
 */
export const alerts = sqliteTable('alerts', {
  name: text('name').primaryKey(),
  sql: text('sql').notNull(),
  targets: text('targets').notNull(), // JSON array; empty: TRENDLAKE_NOTIFY; may hold passwords
  cooldownMs: integer('cooldown_ms').notNull(), // absence after which a row fires again
  enabled: integer('enabled').notNull(), // 1 or 0
  createdAt: integer('created_at').notNull(), // Unix ms
  evaluatedAt: integer('evaluated_at'), // Unix ms of the newest evaluation that succeeded
  failure: text('failure'), // error of the newest evaluation; null: none
});
