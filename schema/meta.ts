import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Facts about this lake: `origin` is whose data it holds (`upstream`, `sandbox`), `lake_id` identifies
 * it among lakes that publish to the same tables.
 *
 * Written by src/lake/origin.ts.
 */
export const meta = sqliteTable('meta', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
});
