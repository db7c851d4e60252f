import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/**
 * Parquet partitions whose rows changed since they were last written. Marked in the transaction
 * that changes the rows; unmarked once the new file stands, if `version` is still the one it was
 * made from. Written by src/export/touched-partitions.ts.
 */
export const touchedPartitions = sqliteTable(
  'touched_partitions',
  {
    tableName: text('table_name').notNull(), // the Parquet table
    date: text('date').notNull(), // YYYY-MM-DD in UTC; '' for tables of one file and first parts; `part-000001` for later parts
    version: integer('version').notNull(), // grows with every touch
  },
  (t) => [primaryKey({ columns: [t.tableName, t.date] })],
);
