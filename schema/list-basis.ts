import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * What computed lists of the common windows are made from, read ahead: of each video of a platform seen
 * in a window its counts, of each hashtag its figures, as of the newest snapshot. A list over a large
 * window is made from it and what left the window since, instead of from all snapshots inside it.
 * Made from the other tables when a run, an import or a replay ends, by makeListBasis
 * (src/history/make-list-basis.ts), and emptied in the transaction of the next load: what is there is
 * true. It may be emptied at any time. Written by src/history/list-basis.ts.
 */
export const listBasis = sqliteTable('list_basis', {
  name: text('name').primaryKey(), // what it is of: `videos` or `hashtags`, the platform, the window in ms, the piece
  asOf: integer('as_of').notNull(), // Unix ms; the newest snapshot then, but for those of the future
  columns: blob('columns', { mode: 'buffer' }).notNull(), // numbers of 8 bytes, column by column, as zstd
});
