import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Ledger of API calls: one row per request, retries included, committed before the request is sent. A
 * row without `finished_at` is in flight or belongs to a dead process. Both count as spent.
 *
 * Written by src/upstream/throttle/call-rows.ts, which settles a call in the transaction that loads its
 * response.
 */
export const calls = sqliteTable(
  'calls',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    runId: integer('run_id'),
    job: text('job').notNull(),
    request: text('request').notNull(), // method, path and query; no headers
    sentAt: integer('sent_at').notNull(), // Unix ms, before sending
    finishedAt: integer('finished_at'), // Unix ms; response complete or given up
    status: integer('status'), // HTTP status; null: no response
    error: text('error'), // reason of the failure; never body text
    sender: text('sender').notNull(), // random id of the process
    rowsChanged: integer('rows_changed'), // rows inserted or updated
    countedAt: integer('counted_at'), // Unix ms of the newest earlier call, set when the clock had stepped back
    boot: text('boot').notNull().default(''), // boot that the monotonic times are valid in; empty if unknown
    sentMono: integer('sent_mono').notNull().default(0), // monotonic ms, before sending
    freeMono: integer('free_mono').notNull().default(0), // monotonic ms at which its slot in the minute is free
    sent: integer('sent').notNull().default(1), // 0: nobody was reached, costs nothing
    key: text('key'), // name of the key if `keys` lists several
    newVideos: integer('new_videos'), // videos it brought; null: before 0.2
  },
  (t) => [
    index('calls_sent_at').on(t.sentAt),
    index('calls_finished_at').on(t.finishedAt),
    index('calls_run').on(t.runId),
    index('calls_key').on(t.key, t.sentAt),
    index('calls_slots').on(t.boot, t.freeMono),
    index('calls_found_nobody').on(t.sentAt).where(sql`sent = 0`),
    index('calls_counted_at').on(t.countedAt).where(sql`counted_at is not null`),
  ],
);
