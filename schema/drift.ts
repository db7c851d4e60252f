import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Fields and shapes that differ from the interface: unknown, missing or unexpected. One row each.
 *
 * Written by src/ingest/writers/drift.ts.
 */
export const drift = sqliteTable(
  'drift',
  {
    resource: text('resource').notNull(), // `content item`, `hashtag`, `creator`, `growth`, ...
    field: text('field').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(), // Unix ms
    sample: text('sample').notNull(), // JSON of the first value, up to 1 KiB
    callId: integer('call_id'),
  },
  (t) => [
    primaryKey({ columns: [t.resource, t.field] }),
    index('drift_first_seen_at').on(t.firstSeenAt),
  ],
);
