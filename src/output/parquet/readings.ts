import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { ParquetTable } from './parquet-tables.ts';
import { type Partition, quoted } from './partitions.ts';

/** Most rows of days that are read together, as all are held in memory. */
const MOST_ROWS = 524_288;
const MOST_DAYS = 32;
/** Cost of reading a subject, in rows found by their time. */
const SUBJECT_COST = 0.4;

/** Partitions of a table that are read together. */
export interface PartitionReading {
  readonly partitions: readonly [Partition, ...Partition[]];
  /** Rows of each, if counted. */
  readonly rows: readonly number[];
  /** True: read subject by subject. False: found by time, then sorted. */
  readonly bySubject: boolean;
}

const alone = (partition: Partition): PartitionReading => ({
  partitions: [partition],
  rows: [],
  bySubject: false,
});

/** Start of a day in Unix ms. */
export const startOf = ({ date }: Partition): number => Date.parse(`${date}T00:00:00Z`);

/** Estimated number of subjects. */
const subjectsIn = (sqlite: Database.Database, subjects: string): number =>
  required(
    prepare(sqlite, `select coalesce(max(key), 0) from ${quoted(subjects)}`, 'number').get(),
  );

/** Groups neighbouring days of a table into readings, if that is faster. */
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
    const ofDay = required(count.get(startOf(day), startOf(day) + DAY_MS));
    const before = gathered.at(-1);
    const between =
      before === undefined ? 0 : required(count.get(startOf(before) + DAY_MS, startOf(day)));
    if (between > 0 || gatheredRows + ofDay > MOST_ROWS || gathered.length === MOST_DAYS) close();
    gathered.push(day);
    counted.push(ofDay);
    gatheredRows += ofDay;
  }
  close();
  return readings;
};

/**
 * Groups partitions into readings: single ones, or neighbouring days of a table if going from subject to
 * subject once costs less than finding each row by its time.
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
          [...ofTable].sort((partition, other) => startOf(partition) - startOf(other)),
        ),
  );
};
