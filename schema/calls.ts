import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * The ledger: one row for each request, retries included, committed before it leaves. A row without
 * `finished_at` belongs to a call in flight or to a process that died; both count as spent. Written
 * by src/throttle/call-rows.ts, which settles a call in the transaction that loads its response.
 */
export const calls = sqliteTable(
  'calls',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    runId: integer('run_id'),
    job: text('job').notNull(),
    request: text('request').notNull(), // method, path and query; never a header
    sentAt: integer('sent_at').notNull(), // Unix ms; taken before sending
    finishedAt: integer('finished_at'), // Unix ms; answer complete or given up
    status: integer('status'), // HTTP status; null when no response came
    error: text('error'), // what went wrong, in words; not what a body says
    sender: text('sender').notNull(), // which process sent it; a random word
    rowsChanged: integer('rows_changed'), // rows inserted or updated by its response
    countedAt: integer('counted_at'), // Unix ms of the newest call before it, where the clock had stepped behind that
    boot: text('boot').notNull().default(''), // what the monotonic times are valid in; '' where the machine does not tell
    sentMono: integer('sent_mono').notNull().default(0), // monotonic ms; taken before sending
    freeMono: integer('free_mono').notNull().default(0), // monotonic ms until which it holds its slot of the minute
    sent: integer('sent').notNull().default(1), // 0: it found nobody (name unknown, refused, unreachable), so nothing left; costs neither minute nor month
    key: text('key'), // name of the key it was made with, where `keys` names several; null: the only one
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
