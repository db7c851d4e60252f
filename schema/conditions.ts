import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Problems that were found, when they began and ended, and when you were notified of each.
 *
 * Written by src/alerts/notify/conditions.ts.
 */
export const conditions = sqliteTable(
  'conditions',
  {
    kind: text('kind').notNull(), // `run`, `quota`, `stale`, `drift`, `chore`, `endpoint`, `clock`, `alert`, `watch`
    subject: text('subject').notNull(), // source, chore, endpoint, alert or watch; empty if there is only one
    beganAt: integer('began_at').notNull(), // Unix ms
    detail: text('detail').notNull(), // the sentence in the notice
    toldAt: integer('told_at'), // Unix ms of the notice; null: not sent yet
    endedAt: integer('ended_at'), // Unix ms; null: still true
    endToldAt: integer('end_told_at'), // Unix ms of the notice that it ended; null: not sent yet
    toldTo: text('told_to'), // JSON array: targets that got a notice while others failed
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject, t.beganAt] })],
);
