import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Facts about this lake: `origin` says whose data it holds (`upstream`, `sandbox`), so that made-up
 * and real observations never mix; `lake_id` tells it from every other lake where several publish into
 * the same tables. Written by src/lake/origin.ts.
 */
export const meta = sqliteTable('meta', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});
