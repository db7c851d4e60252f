import type Database from 'better-sqlite3';
import { DAY_MS } from '../durations.ts';
import { dateOf } from '../iso.ts';
import type { ParquetTable } from './parquet-tables.ts';

/** The rows of one file: a table, or one UTC day of it. */
export interface Partition {
  readonly table: ParquetTable;
  /** `YYYY-MM-DD`; '' for tables of one file. */
  readonly date: string;
}

/** Where a partition's file is, within the Parquet folder. */
export const pathOf = ({ table, date }: Partition): string =>
  `${table.name}/${date === '' ? '' : `date=${date}/`}${table.name}.parquet`;

const FILE_PATH = /^(\w+)\/(?:date=(\d{4}-\d\d-\d\d)\/)?(\w+)\.parquet$/;

/** The partition whose file has this path, or undefined when no export would place one there. */
export const partitionAt = (
  tables: readonly ParquetTable[],
  path: string,
): Partition | undefined => {
  const [, folder, date = '', name] = FILE_PATH.exec(path) ?? [];
  return folder === undefined || folder !== name ? undefined : partitionOf(tables, name, date);
};

/** The partition of a table and date, or undefined when there is no such table or its files have no dates. */
export const partitionOf = (
  tables: readonly ParquetTable[],
  name: string,
  date: string,
): Partition | undefined => {
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined || (table.dateColumn === undefined) !== (date === '')) return undefined;
  return { table, date };
};

/** Where the columns of a table are shown that has no rows: a day without any, for tables of days. */
const NO_DAY = '1970-01-01';

/** The partition whose file stands for a table without rows. */
export const emptyPartition = (table: ParquetTable): Partition => ({
  table,
  date: table.dateColumn === undefined ? '' : NO_DAY,
});

const quoted = (name: string): string => `"${name}"`;

/** The UTC days on which a table has rows, by hopping along the index on its time. */
const datesOf = (sqlite: Database.Database, { name, dateColumn }: ParquetTable): string[] => {
  if (dateColumn === undefined) return [''];
  const column = quoted(dateColumn);
  const next = sqlite
    .prepare(
      `select ${column} from ${quoted(name)} where ${column} >= ? order by ${column} limit 1`,
    )
    .pluck();
  const dates: string[] = [];
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const at = next.get(from) as number | undefined;
    if (at === undefined) return dates;
    dates.push(dateOf(at));
    from = (Math.floor(at / DAY_MS) + 1) * DAY_MS;
  }
};

/** Every partition that may hold rows. */
export const allPartitions = (
  sqlite: Database.Database,
  tables: readonly ParquetTable[],
): Partition[] =>
  tables.flatMap((table) => datesOf(sqlite, table).map((date) => ({ table, date })));

/**
 * The rows of a partition, sorted by key, each an array in the order of its columns. Read as they
 * are asked for; nothing is open before the first and after the last (or a `break`).
 */
export const rowsOf = (
  sqlite: Database.Database,
  { table, date }: Partition,
): Iterable<unknown[]> => {
  const column = quoted(table.dateColumn ?? '');
  const fromAt = date === '' ? 0 : Date.parse(`${date}T00:00:00Z`);
  // tags compare without case; a file's order is that of the bytes
  const order = table.key.map((name) => `${quoted(name)} collate binary`).join(', ');
  const statement = sqlite.prepare(
    `select ${table.columns.map(({ name }) => quoted(name)).join(', ')} from ${quoted(table.name)}
     ${date === '' ? '' : `where ${column} >= ? and ${column} < ?`} order by ${order}`,
  );
  const bounds = date === '' ? [] : [fromAt, fromAt + DAY_MS];
  return {
    [Symbol.iterator]: () => statement.raw().iterate(...bounds) as IterableIterator<unknown[]>,
  };
};
