import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { calls } from './calls.ts';

/**
 * The body of each response with status 200, readable or not, kept so that tables can be rebuilt
 * without a call. Of a response with another status there is none: `calls` tells of it.
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
