import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Parquet files whose rows changed since the last export.
 *
 * Written by src/lake/touched-partitions.ts: marked in the transaction that changes the rows,
 * unmarked once the new file is in place if `version` is unchanged.
 */
export const touchedPartitions = sqliteTable(
  'touched_partitions',
  {
    tableName: text('table_name').notNull(), // Parquet table
    date: text('date').notNull(), // YYYY-MM-DD UTC; empty for a single or first file; `part-000001` for later parts
    version: integer('version').notNull(), // increases with every change
  },
  (t) => [primaryKey({ columns: [t.tableName, t.date] })],
);
