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

/** About how many subjects a table has. */
const subjectsIn = (sqlite: Database.Database, subjects: string): number =>
  present(prepare(sqlite, `select coalesce(max(key), 0) from ${quoted(subjects)}`, 'number').get());

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
  const subjects = subjectsIn(sqlite, timelines.subjects);
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
  { partitions }: PartitionReading,
): { where: string; bounds: number[] } => {
  const [first] = partitions;
  const { dateColumn, videoColumn } = first.table;
  if (dateColumn !== undefined) {
    const column = quoted(dateColumn);
    return { where: `where ${column} >= ? and ${column} < ?`, bounds: spanOf(partitions) };
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

const spanOf = (partitions: PartitionReading['partitions']): [from: number, to: number] => [
  startOf(partitions[0]),
  startOf(partitions.at(-1) ?? partitions[0]) + DAY_MS,
];

/** Rows as arrays in the order of a table's columns, sorted by its key. */
const selecting = (
  sqlite: Database.Database,
  table: ParquetTable,
  where: string,
  most = -1, // all
) => {
  // tags compare without case; a file's order is that of the bytes
  const order = table.key.map((name) => `${quoted(name)} collate binary`).join(', ');
  return prepare(
    sqlite,
    `select ${table.columns.map(({ name }) => quoted(name)).join(', ')} from ${quoted(table.name)}
     ${where} order by ${order} limit ${most}`,
    table.columns.map(({ type }) => KINDS[type]),
  );
};

/** As SQLite finds them. Nothing is open before the first and after the last (or a `break`). */
function* foundRows(sqlite: Database.Database, reading: PartitionReading): Generator<Row[]> {
  const { where, bounds } = conditionOf(sqlite, reading);
  let rows: Row[] = [];
  for (const row of selecting(sqlite, reading.partitions[0].table, where).iterate(...bounds))
    if (rows.push(row) === CHUNK_ROWS) {
      yield rows;
      rows = [];
    }
  yield rows;
}

/**
 * Timelines, subject by subject, by a statement for each chunk, which goes on after the last row: a
 * fifth less than row by row.
 */
function* timelineRows(
  sqlite: Database.Database,
  { partitions }: PartitionReading,
): Generator<Row[]> {
  const { table } = partitions[0];
  const [subject, time] = table.key.map((name) => quoted(name));
  const places = table.key.map((key) => table.columns.findIndex(({ name }) => name === key));
  // what is likely is not worth an index of its own: SQLite goes from subject to subject
  const statement = selecting(
    sqlite,
    table,
    `where ${subject} >= ? and likely(${time} >= ?) and likely(${time} < ?)
       and (${subject} > ? or ${time} > ?)`,
    CHUNK_ROWS,
  );
  let last: unknown[] = ['', Number.MIN_SAFE_INTEGER];
  for (;;) {
    const rows = statement.all(last[0], ...spanOf(partitions), ...last);
    yield rows;
    if (rows.length < CHUNK_ROWS) return;
    last = places.map((place) => rows.at(-1)?.[place]);
  }
}

/**
 * Hands the rows of several days to `take`, some thousand at a time, those of each day in the order
 * of the key.
 */
export const readTogether = async (
  sqlite: Database.Database,
  reading: PartitionReading,
  take: (rows: readonly Row[], nth: number) => Promise<void> | undefined,
): Promise<void> => {
  const { partitions, bySubject } = reading;
  const { columns, dateColumn } = partitions[0].table;
  const chunks = bySubject ? timelineRows(sqlite, reading) : foundRows(sqlite, reading);
  if (partitions.length === 1) {
    for (const rows of chunks) await take(rows, 0);
    return;
  }
  const time = columns.findIndex(({ name }) => name === dateColumn);
  const nths = new Map(partitions.map((day, nth) => [startOf(day) / DAY_MS, nth]));
  const ofDays: Row[][] = partitions.map(() => []);
  for (const rows of chunks) {
    for (const row of rows) {
      const nth = nths.get(Math.floor(Number(row[time]) / DAY_MS));
      if (nth !== undefined) ofDays[nth]?.push(row); // else of a day that nobody asked for
    }
    for (const [nth, ofDay] of ofDays.entries()) {
      if (ofDay.length === 0) continue;
      await take(ofDay, nth);
      ofDay.length = 0;
    }
  }
};
