import type Database from 'better-sqlite3';
import { DAY_MS } from '../durations.ts';
import { type Kind, prepare, present } from '../lake/prepare.ts';
import type { ParquetTable, ParquetType } from './parquet-tables.ts';
import { lastPart, type Partition, quoted } from './partitions.ts';
import { VIDEOS_A_PART } from './touched-partitions.ts';

type Row = readonly unknown[];

/** Rows gathered at once where days are read together; they are in memory until all are read. */
const MOST_ROWS = 524_288;
const MOST_DAYS = 32;
/** To read a subject costs about as much as to find this share of a row by its time. */
const SUBJECT_COST = 0.4;
const CHUNK_ROWS = 1024;

/** Partitions of one table whose rows are read in one go. */
export interface PartitionReading {
  readonly partitions: readonly [Partition, ...Partition[]];
  /** How many rows each has, as far as that was counted. */
  readonly rows: readonly number[];
  /** In the order of the key, subject by subject; undefined: as SQLite finds them, sorted. */
  readonly bySubject: boolean;
}

const alone = (partition: Partition): PartitionReading => ({
  partitions: [partition],
  rows: [],
  bySubject: false,
});

const startOf = ({ date }: Partition): number => Date.parse(`${date}T00:00:00Z`);

/** Days of a table, gathered into readings: neighbours, as long as they are few enough and worth it. */
const togetherReadings = (
  sqlite: Database.Database,
  timelines: NonNullable<ParquetTable['timelines']>,
  days: readonly Partition[],
): PartitionReading[] => {
  const rows = quoted(timelines.rows);
  const column = quoted(days[0]?.table.dateColumn ?? '');
  const count = prepare(
    sqlite,
    `select count(*) from ${rows} where ${column} >= ? and ${column} < ?`,
    'number',
  );
  const subjects = present(
    prepare(
      sqlite,
      `select coalesce(max(key), 0) from ${quoted(timelines.subjects)}`,
      'number',
    ).get(),
  );
  const readings: PartitionReading[] = [];
  let gathered: Partition[] = [];
  let counted: number[] = [];
  let gatheredRows = 0;
  const close = (): void => {
    const [first, ...more] = gathered;
    if (first === undefined) return;
    if (gatheredRows > subjects * SUBJECT_COST)
      readings.push({ partitions: [first, ...more], rows: counted, bySubject: true });
    else readings.push(...gathered.map(alone));
    gathered = [];
    counted = [];
    gatheredRows = 0;
  };
  for (const day of days) {
    const ofDay = present(count.get(startOf(day), startOf(day) + DAY_MS));
    const before = gathered.at(-1);
    const between =
      before === undefined ? 0 : present(count.get(startOf(before) + DAY_MS, startOf(day)));
    if (between > 0 || gatheredRows + ofDay > MOST_ROWS || gathered.length === MOST_DAYS) close();
    gathered.push(day);
    counted.push(ofDay);
    gatheredRows += ofDay;
  }
  close();
  return readings;
};

/**
 * In what portions partitions are read: one by one, or neighbouring days of a table together where
 * going from subject to subject once costs less than finding each row by its time.
 */
export const readingsOf = (
  sqlite: Database.Database,
  partitions: readonly Partition[],
): PartitionReading[] => {
  const byTable = new Map<ParquetTable, Partition[]>();
  for (const partition of partitions) {
    const ofTable = byTable.get(partition.table);
    if (ofTable === undefined) byTable.set(partition.table, [partition]);
    else ofTable.push(partition);
  }
  return [...byTable].flatMap(([{ timelines }, ofTable]) =>
    timelines === undefined
      ? ofTable.map(alone)
      : togetherReadings(
          sqlite,
          timelines,
          [...ofTable].sort((one, other) => startOf(one) - startOf(other)),
        ),
  );
};

const KINDS: Readonly<Record<ParquetType, Kind>> = {
  INT64: 'number?',
  TIMESTAMP_MILLIS: 'number?',
  DOUBLE: 'number?',
  UTF8: 'text?',
};

/** Which rows are those of a reading, in SQL, and what to bind. */
const conditionOf = (
  sqlite: Database.Database,
  { partitions, bySubject }: PartitionReading,
): { where: string; bounds: number[] } => {
  const [first] = partitions;
  const { dateColumn, videoColumn } = first.table;
  if (dateColumn !== undefined) {
    const column = quoted(dateColumn);
    const bounds = [startOf(first), startOf(partitions.at(-1) ?? first) + DAY_MS];
    // what is likely is not worth an index of its own: SQLite goes from subject to subject
    return bySubject
      ? { where: `where likely(${column} >= ?) and likely(${column} < ?)`, bounds }
      : { where: `where ${column} >= ? and ${column} < ?`, bounds };
  }
  if (videoColumn === undefined) return { where: '', bounds: [] };
  // all of them; said so that SQLite goes from video to video instead of sorting every row
  if (lastPart(sqlite) === 0)
    return { where: `where unlikely(${quoted(videoColumn)} >= '')`, bounds: [] };
  return {
    where: `where ${quoted(videoColumn)} in (select id from video where key >= ? and key < ?)`,
    bounds: [first.part * VIDEOS_A_PART, (first.part + 1) * VIDEOS_A_PART],
  };
};

/**
 * The rows of a reading, sorted by key, each an array in the order of its columns. Read as they
 * are asked for; nothing is open before the first and after the last (or a `break`).
 */
const rowsOf = (sqlite: Database.Database, reading: PartitionReading): Iterable<Row> => {
  const { table } = reading.partitions[0];
  const { where, bounds } = conditionOf(sqlite, reading);
  // tags compare without case; a file's order is that of the bytes
  const order = table.key.map((name) => `${quoted(name)} collate binary`).join(', ');
  const statement = prepare(
    sqlite,
    `select ${table.columns.map(({ name }) => quoted(name)).join(', ')} from ${quoted(table.name)}
     ${where} order by ${order}`,
    table.columns.map(({ type }) => KINDS[type]),
  );
  return { [Symbol.iterator]: () => statement.iterate(...bounds) };
};

/**
 * Hands the rows of several days to `take`, some thousand at a time, those of each day in the order
 * of the key.
 */
export const readTogether = async (
  sqlite: Database.Database,
  reading: PartitionReading,
  take: (rows: readonly Row[], nth: number) => Promise<void> | undefined,
): Promise<void> => {
  const { partitions } = reading;
  const { columns, dateColumn } = partitions[0].table;
  const time = columns.findIndex(({ name }) => name === dateColumn);
  const firstDay = startOf(partitions[0]) / DAY_MS;
  const nths = new Map(partitions.map((day, nth) => [startOf(day) / DAY_MS - firstDay, nth]));
  const chunks: Row[][] = partitions.map(() => []);
  const hand = async (): Promise<void> => {
    for (const [nth, rows] of chunks.entries()) {
      if (rows.length === 0) continue;
      await take(rows, nth);
      rows.length = 0;
    }
  };
  let read = 0;
  for (const row of rowsOf(sqlite, reading)) {
    const nth = nths.get(Math.floor(Number(row[time]) / DAY_MS) - firstDay);
    if (nth === undefined) continue; // of a day that nobody asked for
    chunks[nth]?.push(row);
    if (++read % CHUNK_ROWS === 0) await hand();
  }
  await hand();
};
