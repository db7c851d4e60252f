import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Spellings of handles that differ from their folded form. `Ada`, `@ada` and `ada` are one creator;
 * `ada` needs no row.
 *
 * Written by src/ingest/writers/handle-writer.ts. Source: handles of `video`, `video_revision` and `creator`,
 * folded by `foldHandle` (src/base/wire/folding.ts). Rows stay; older lakes may hold superfluous ones.
 */
export const handleSpelling = sqliteTable(
  'handle_spelling',
  {
    folded: text('folded').notNull(), // NFKC, lower case, without `@`
    handle: text('handle').notNull(), // as written
  },
  (t) => [
    primaryKey({ columns: [t.folded, t.handle] }),
    index('handle_spelling_handle').on(t.handle), // the form of a handle that a row holds
  ],
);
