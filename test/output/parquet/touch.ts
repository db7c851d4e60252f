import type { Lake } from '../../../src/lake/open.ts';

/** Marks a partition as changed, as loading does. */
export const touch = (lake: Lake, table: string, date: string): void => {
  lake.sqlite
    .prepare(
      `insert into touched_partitions (table_name, date, version) values (?, ?, 1)
       on conflict (table_name, date) do update set version = version + 1`,
    )
    .run(table, date);
};
