import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What is not as it should be, from when until when, and whether whoever runs trendlake was told: once
 * when it began, once when it was over. Written by src/notify/conditions.ts.
 */
export const conditions = sqliteTable(
  'conditions',
  {
    kind: text('kind').notNull(), // `run`, `quota`, `stale`, `drift`, `chore`, `endpoint`
    subject: text('subject').notNull(), // which one of its kind: a source, a chore, an endpoint; '' where there is one
    beganAt: integer('began_at').notNull(), // Unix ms
    detail: text('detail').notNull(), // the sentence that was told
    toldAt: integer('told_at'), // Unix ms; null: not told yet
    endedAt: integer('ended_at'), // Unix ms; null: it holds
    endToldAt: integer('end_told_at'), // Unix ms; null: its end was not told yet
  },
  (t) => [primaryKey({ columns: [t.kind, t.subject, t.beganAt] })],
);
