import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What the service last stated of a limit in its responses' headers, and how that was read. Only ever
 * lowers what is believed to be left. Written by src/throttle/quota-hints.ts.
 */
export const quotaHint = sqliteTable(
  'quota_hint',
  {
    key: text('key').notNull().default(''), // name of the key it was stated to, as in `pause`
    name: text('name').notNull(), // the field and the policy or position in it, such as `RateLimit "month"`
    stated: text('stated').notNull(), // the fields as they came
    windowMs: integer('window_ms'), // length of the limit's window; null: not understood, so not used
    quota: integer('quota'), // calls of one window
    remaining: integer('remaining'), // calls left when it was stated
    resetsAt: integer('resets_at'), // Unix ms
    seenAt: integer('seen_at').notNull(), // Unix ms
    callId: integer('call_id').notNull(), // newest call when it was stated: those after it are not in it
  },
  (t) => [primaryKey({ columns: [t.key, t.name] })],
);
