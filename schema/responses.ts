import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { calls } from './calls.ts';

/**
 * Bodies of responses with status 200, kept for replay until `TRENDLAKE_RETENTION_DAYS`.
 *
 * Written by src/ingest/responses/responses.ts, which also removes them.
 */
export const responses = sqliteTable('responses', {
  callId: integer('call_id')
    .primaryKey()
    .references(() => calls.id),
  contentType: text('content_type'),
  observedAt: integer('observed_at').notNull(), // Unix ms; instant the response is true at
  body: blob('body', { mode: 'buffer' }).notNull(), // gzip
});
