import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { calls } from './calls.ts';

/**
 * What was answered to a call, kept so that tables can be rebuilt without asking again.
 * Written by src/load/responses.ts, which removes them after the retention.
 */
export const responses = sqliteTable('responses', {
  callId: integer('call_id')
    .primaryKey()
    .references(() => calls.id),
  contentType: text('content_type'),
  observedAt: integer('observed_at').notNull(), // Unix ms; the instant the response is true at
  body: blob('body', { mode: 'buffer' }).notNull(), // gzip
});
