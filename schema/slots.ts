import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Slots of the schedule: times a job was due. A slot is claimed by one daemon, then done. One whose
 * daemon died is taken over, or missed with a reason.
 *
 * Written by src/run/schedule/slot-book.ts.
 */
export const slots = sqliteTable(
  'slots',
  {
    job: text('job').notNull(),
    slotAt: integer('slot_at').notNull(), // Unix ms; when it was due
    claimedAt: integer('claimed_at').notNull(), // Unix ms
    runId: integer('run_id'),
    owner: text('owner'), // daemon that claimed it; null before 0.2.0
    doneAt: integer('done_at'), // Unix ms; null: claimed, or missed
    missed: text('missed'), // why it was not done
  },
  (t) => [
    primaryKey({ columns: [t.job, t.slotAt] }),
    index('slots_open').on(t.job).where(sql`done_at is null and missed is null`),
  ],
);
