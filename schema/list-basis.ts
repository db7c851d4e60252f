import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Cache for lists over large windows: counts per video and hashtag at the newest snapshot. You may
 * empty it at any time.
 *
 * Written by src/lake/lists/list-basis.ts: filled by makeListBasis (src/lake/lists/make-list-basis.ts) after
 * a run, import or replay, and emptied in the transaction of the next load.
 */
export const listBasis = sqliteTable('list_basis', {
  name: text('name').primaryKey(), // `videos` or `hashtags`, platform, window in ms, part
  asOf: integer('as_of').notNull(), // Unix ms of the newest snapshot that is not in the future
  columns: blob('columns', { mode: 'buffer' }).notNull(), // 8-byte numbers by column, zstd
});
