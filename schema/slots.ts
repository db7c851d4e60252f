import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The schedule's memory: each time a job was due and was taken on. Being unique on (job, slot),
 * it lets one process of many act, once. Written by src/run/schedule/slot-book.ts.
 */
export const slots = sqliteTable(
  'slots',
  {
    job: text('job').notNull(),
    slotAt: integer('slot_at').notNull(), // Unix ms; when it was due
    claimedAt: integer('claimed_at').notNull(), // Unix ms
    runId: integer('run_id'),
  },
  (t) => [primaryKey({ columns: [t.job, t.slotAt] })],
);
