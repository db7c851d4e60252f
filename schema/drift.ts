import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Fields and shapes the interface does not show, shows otherwise than they came, or shows and that
 * did not come; once each.
 * Written by src/load/drift.ts.
 */
export const drift = sqliteTable(
  'drift',
  {
    resource: text('resource').notNull(), // `content item`, `hashtag`, `creator`, `growth`, ...
    field: text('field').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(), // Unix ms
    sample: text('sample').notNull(), // JSON of the first value seen; cut at 1 KiB
    callId: integer('call_id'),
  },
  (t) => [
    primaryKey({ columns: [t.resource, t.field] }),
    index('drift_first_seen_at').on(t.firstSeenAt),
  ],
);
