import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Every handle as it was ever written, by the one form of all its spellings: `Ada`, `@ada` and `ada`
 * are one creator. Source: the handles of `video`, `video_revision` and `creator`, folded by `foldHandle`
 * (src/wire/folding.ts). Written by src/load/handle-writer.ts; a row stays when nobody writes it so any more.
 */
export const handleSpelling = sqliteTable(
  'handle_spelling',
  {
    folded: text('folded').notNull(), // NFKC, lower case, without a leading `@`
    handle: text('handle').notNull(), // as written
  },
  (t) => [
    primaryKey({ columns: [t.folded, t.handle] }),
    index('handle_spelling_handle').on(t.handle), // the form of a handle that a row holds
  ],
);
