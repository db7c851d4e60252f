import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { partOfMark, SUBJECTS_A_PART } from '../../lake/touched-partitions.ts';
import type { ParquetTable, SubjectColumn } from './parquet-tables.ts';

/** Parts of `SUBJECTS_A_PART` subjects that share a file, both inclusive. */
export interface PartRange {
  readonly first: number;
  readonly last: number;
}

/** Rows of one file: of a table, of a UTC day, or of some subjects. */
export interface Partition {
  readonly table: ParquetTable;
  /** `YYYY-MM-DD`; '' for tables without dates. */
  readonly date: string;
  /** Undefined unless the table is divided by subjects, and has many. */
  readonly range: PartRange | undefined;
}

/** Parts per file of older subjects, which change seldom. */
const PARTS_A_GROUP = 16;

const digits = (part: number): string => String(part).padStart(6, '0');
const suffixOf = (range: PartRange | undefined): string => {
  if (range === undefined) return '';
  const { first, last } = range;
  return first === last ? `-${digits(first)}` : `-${digits(first)}-${digits(last)}`;
};

/** Path of a partition's file in the Parquet folder. */
export const pathOf = ({ table, date, range }: Partition): string =>
  `${table.name}/${date === '' ? '' : `date=${date}/`}${table.name}${suffixOf(range)}.parquet`;

const FILE_PATH = /^(\w+)\/(?:date=(\d{4}-\d\d-\d\d)\/)?(\w+?)(?:-(\d{6}))?(?:-(\d{6}))?\.parquet$/;

/** Partition of a file path; undefined if no export would write it. */
export const partitionAt = (
  tables: readonly ParquetTable[],
  path: string,
): Partition | undefined => {
  const [, folder, date = '', name, first, last = first] = FILE_PATH.exec(path) ?? [];
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined || folder !== name) return undefined;
  if ((table.dateColumn === undefined) !== (date === '')) return undefined;
  if (first !== undefined && table.dividedBy === undefined) return undefined;
  const range = first === undefined ? undefined : { first: Number(first), last: Number(last) };
  return { table, date, range };
};

/** Date of the empty file of a table by days without rows. */
const NO_DAY = '1970-01-01';

/** Partition of the file of a table without rows. */
export const emptyPartition = (table: ParquetTable): Partition => ({
  table,
  date: table.dateColumn === undefined ? '' : NO_DAY,
  range: undefined,
});

/** Name of a table or column, quoted for SQL. */
export const quoted = (name: string): string => `"${name}"`;

/** UTC days on which a table has rows, from the index on its time. */
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
const lastPart = (
  sqlite: Database.Database,
  { subjects }: Pick<SubjectColumn, 'subjects'>,
): number =>
  Math.floor(
    required(prepare(sqlite, `select coalesce(max(key), 0) from ${subjects}`, 'number').get()) /
      SUBJECTS_A_PART,
  );

/**
 * Files of a divided table whose newest subject is in part `last`. A small table has one file. In a large
 * one, young subjects change most and have a file per part. Older ones have a file per group of parts.
 */
export const rangesUpTo = (last: number): (PartRange | undefined)[] => {
  if (last < PARTS_A_GROUP) return [undefined];
  const oldGroups = Math.floor((last + 1) / PARTS_A_GROUP) - 1;
  const old = Array.from({ length: oldGroups }, (_, group) => ({
    first: group * PARTS_A_GROUP,
    last: (group + 1) * PARTS_A_GROUP - 1,
  }));
  const youngFrom = oldGroups * PARTS_A_GROUP;
  const young = Array.from({ length: last + 1 - youngFrom }, (_, part) => ({
    first: youngFrom + part,
    last: youngFrom + part,
  }));
  return [...old, ...young];
};

const undatedPartitions = (sqlite: Database.Database, table: ParquetTable): Partition[] => {
  const ranges =
    table.dividedBy === undefined ? [undefined] : rangesUpTo(lastPart(sqlite, table.dividedBy));
  return ranges.map((range) => ({ table, date: '', range }));
};

/** Every partition of the tables that are divided by subjects. */
export const dividedPartitions = (
  sqlite: Database.Database,
  tables: readonly ParquetTable[],
): Partition[] =>
  tables
    .filter(({ dividedBy }) => dividedBy !== undefined)
    .flatMap((table) => undatedPartitions(sqlite, table));

/** Every partition that may hold rows. */
export const allPartitions = (
  sqlite: Database.Database,
  tables: readonly ParquetTable[],
): Partition[] =>
  tables.flatMap((table) =>
    table.dateColumn === undefined
      ? undatedPartitions(sqlite, table)
      : datesOf(sqlite, table).map((date) => ({ table, date, range: undefined })),
  );

/**
 * The partition that holds the rows of `mark` as in `touched_partitions.date`: a date, a part, or ''.
 * Undefined for unknown tables and for tables that are not divided so.
 */
export const partitionOf = (
  sqlite: Database.Database,
  tables: readonly ParquetTable[],
  name: string,
  mark: string,
): Partition | undefined => {
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined) return undefined;
  if (table.dateColumn !== undefined)
    return mark === '' ? undefined : { table, date: mark, range: undefined };
  const part = partOfMark(mark);
  return undatedPartitions(sqlite, table).find(
    ({ range }) =>
      part !== undefined && (range === undefined || (range.first <= part && part <= range.last)),
  );
};
