import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Erased videos and creators, as salted hashes. Pulls, imports, replays and restores drop their data.
 *
 * Written by src/lake/erased.ts. The salts are in `meta`.
 */
export const erased = sqliteTable(
  'erased',
  {
    kind: text('kind').notNull(), // `video`, `creator`, or `title` of a video, for items without an id
    hash: text('hash').notNull(), // HMAC-SHA256 of the id, of platform and folded handle, or of the title
    erasedAt: integer('erased_at').notNull(), // Unix ms
    dropped: integer('dropped').notNull().default(0), // items that arrived again and were dropped
  },
  (t) => [primaryKey({ columns: [t.kind, t.hash] })],
);
