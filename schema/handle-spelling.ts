import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Every handle that was ever written otherwise than in the one form of all its spellings: `Ada`, `@ada`
 * and `ada` are one creator, and `ada` has no row (lakes of before may hold some). Source: the
 * handles of `video`, `video_revision` and `creator`, folded by `foldHandle` (src/wire/folding.ts).
 * Written by src/load/handle-writer.ts; a row stays when nobody writes it so any more.
 */
export const handleSpelling = sqliteTable(
  'handle_spelling',
  {
    folded: text('folded').notNull(), // NFKC, lower case, without a leading `@`
    handle: text('handle').notNull(), // as written; differs from `folded`
  },
  (t) => [
    primaryKey({ columns: [t.folded, t.handle] }),
    index('handle_spelling_handle').on(t.handle), // the form of a handle that a row holds
  ],
);
