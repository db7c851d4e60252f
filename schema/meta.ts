import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Facts about this lake: `origin` says whose data it holds (`upstream`, `sandbox`), so that made-up
 * and real observations never mix; `lake_id` names the lake in published tables and in the manifest of
 * its Parquet files; `restore_mark` changes with each restore. Written by src/lake/meta.ts.
 */
export const meta = sqliteTable('meta', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});
