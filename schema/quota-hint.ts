import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Limits that the service stated in response headers, and how they were read. They only lower the
 * remaining quota.
 *
 * Written by src/upstream/throttle/quota-hints.ts.
 */
export const quotaHint = sqliteTable(
  'quota_hint',
  {
    key: text('key').notNull().default(''), // name of the key, as in `pause`
    name: text('name').notNull(), // header and policy, such as `RateLimit "month"`
    stated: text('stated').notNull(), // headers as received
    windowMs: integer('window_ms'), // length of the window; null: not understood and not used
    quota: integer('quota'), // calls per window
    remaining: integer('remaining'), // calls left
    resetsAt: integer('resets_at'), // Unix ms
    seenAt: integer('seen_at').notNull(), // Unix ms
    callId: integer('call_id').notNull(), // newest call at that time; later calls are not included
  },
  (t) => [primaryKey({ columns: [t.key, t.name] })],
);
