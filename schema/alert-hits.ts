import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Rows of alerts that fired.
 *
 * Written by src/alerts/rules/alert-store.ts.
 */
export const alertHits = sqliteTable(
  'alert_hits',
  {
    name: text('name').notNull(), // of the alert
    subject: text('subject').notNull(), // column `subject` of the row
    at: integer('at').notNull(), // Unix ms of the evaluation
    row: text('row').notNull(), // JSON object by column
    seenAt: integer('seen_at').notNull(), // Unix ms of the newest evaluation with it
    waiting: text('waiting'), // JSON array: targets that wait for it; null: none
  },
  (t) => [primaryKey({ columns: [t.name, t.subject, t.at] }), index('alert_hits_at').on(t.at)],
);
