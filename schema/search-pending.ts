import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';

/**
 * Videos to put into the search index: their title, handle or hashtags changed.
 *
 * Written by triggers in schema/search.sql; emptied by `refreshSearch` (src/lake/search/search-index.ts) in
 * the transaction of the load, so that committed rows are searchable.
 */
export const searchPending = sqliteTable('search_pending', {
  videoKey: integer('video_key').primaryKey(),
});
