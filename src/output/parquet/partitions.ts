import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { SUBJECTS_A_PART } from '../../lake/touched-partitions.ts';
import type { ParquetTable, SubjectColumn } from './parquet-tables.ts';

/** The rows of one file: a table, one UTC day of it, or the rows of some of its subjects. */
export interface Partition {
  readonly table: ParquetTable;
  /** `YYYY-MM-DD`; '' for tables without dates. */
  readonly date: string;
  /** 0 unless the table is divided by subjects, and these are not the first `SUBJECTS_A_PART`. */
  readonly part: number;
}

const suffixOf = (part: number): string => (part === 0 ? '' : `-${String(part).padStart(6, '0')}`);

/** Path of a partition's file in the Parquet folder. */
export const pathOf = ({ table, date, part }: Partition): string =>
  `${table.name}/${date === '' ? '' : `date=${date}/`}${table.name}${suffixOf(part)}.parquet`;

const FILE_PATH = /^(\w+)\/(?:date=(\d{4}-\d\d-\d\d)\/)?(\w+?)(?:-(\d{6}))?\.parquet$/;

/** The partition whose file has this path, or undefined when no export would place one there. */
export const partitionAt = (
  tables: readonly ParquetTable[],
  path: string,
): Partition | undefined => {
  const [, folder, date = '', name, part] = FILE_PATH.exec(path) ?? [];
  const mark = part === undefined ? date : `part-${part}`;
  const partition =
    folder === undefined || folder !== name ? undefined : partitionOf(tables, name, mark);
  return partition === undefined || pathOf(partition) !== path ? undefined : partition;
};

/**
 * The partition of a table by `mark` as in `touched_partitions.date`: a date, a part, or ''.
 * Undefined for unknown tables and for tables that are not divided so.
 */
export const partitionOf = (
  tables: readonly ParquetTable[],
  name: string,
  mark: string,
): Partition | undefined => {
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined) return undefined;
  const [, digits] = /^part-(\d{6})$/.exec(mark) ?? [];
  if (digits !== undefined)
    return table.dividedBy === undefined ? undefined : { table, date: '', part: Number(digits) };
  return (table.dateColumn === undefined) === (mark === '')
    ? { table, date: mark, part: 0 }
    : undefined;
};

/** Date of the empty file of a table by days without rows. */
const NO_DAY = '1970-01-01';

/** The partition whose file stands for a table without rows. */
export const emptyPartition = (table: ParquetTable): Partition => ({
  table,
  date: table.dateColumn === undefined ? '' : NO_DAY,
  part: 0,
});

/** A name of a table or column, as SQL takes it. */
export const quoted = (name: string): string => `"${name}"`;

/** The UTC days on which a table has rows, by hopping along the index on its time. */
const datesOf = (sqlite: Database.Database, { name, dateColumn }: ParquetTable): string[] => {
  if (dateColumn === undefined) return [''];
  const column = quoted(dateColumn);
  const next = prepare(
    sqlite,
    `select ${column} from ${quoted(name)} where ${column} >= ? order by ${column} limit 1`,
    'number',
  );
  const dates: string[] = [];
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const at = next.get(from);
    if (at === undefined) return dates;
    dates.push(dateOf(at));
    from = (Math.floor(at / DAY_MS) + 1) * DAY_MS;
  }
};

/** The part of the newest subject. */
export const lastPart = (
  sqlite: Database.Database,
  { subjects }: Pick<SubjectColumn, 'subjects'>,
): number =>
  Math.floor(
    required(prepare(sqlite, `select coalesce(max(key), 0) from ${subjects}`, 'number').get()) /
      SUBJECTS_A_PART,
  );

/** Every partition that may hold rows. */
export const allPartitions = (
  sqlite: Database.Database,
  tables: readonly ParquetTable[],
): Partition[] =>
  tables.flatMap((table) =>
    table.dividedBy === undefined
      ? datesOf(sqlite, table).map((date) => ({ table, date, part: 0 }))
      : Array.from({ length: lastPart(sqlite, table.dividedBy) + 1 }, (_, part) => ({
          table,
          date: '',
          part,
        })),
  );
