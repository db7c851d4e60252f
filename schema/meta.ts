import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Facts about this lake: `origin` is whose data it holds (`upstream`, `sandbox`), `lake_id` identifies
 * it among lakes that publish to the same tables.
 *
 * `restore_mark` changes with each restore. Written by src/lake/meta.ts.
 */
export const meta = sqliteTable('meta', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});
