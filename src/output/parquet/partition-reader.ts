import type Database from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { type Kind, type Prepared, prepare } from '../../lake/prepare.ts';
import { SUBJECTS_A_PART } from '../../lake/touched-partitions.ts';
import type { ParquetTable, ParquetType } from './parquet-tables.ts';
import { quoted } from './partitions.ts';
import { type PartitionReading, startOf } from './readings.ts';

type Row = readonly unknown[];

const CHUNK_ROWS = 1024;

const KINDS: Readonly<Record<ParquetType, Kind>> = {
  INT64: 'number?',
  TIMESTAMP_MILLIS: 'number?',
  DOUBLE: 'number?',
  UTF8: 'text?',
  DATE: 'number?',
};

const spanOf = (partitions: PartitionReading['partitions']): [from: number, to: number] => [
  startOf(partitions[0]),
  startOf(partitions.at(-1) ?? partitions[0]) + DAY_MS,
];

/** Reads the rows of partitions, by one statement for all partitions of a kind. */
export class PartitionReader {
  readonly #sqlite: Database.Database;
  /** Statements of one table, by condition. */
  #prepared: { table: ParquetTable; byCondition: Map<string, Prepared<unknown[]>> } | undefined;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
  }

  /**
   * Passes the rows of several days to `take` in chunks, those of each day in the order of the key.
   */
  async readTogether(
    reading: PartitionReading,
    take: (rows: readonly Row[], nth: number) => Promise<void> | undefined,
  ): Promise<void> {
    const { partitions, bySubject } = reading;
    const { columns, dateColumn } = partitions[0].table;
    const chunks = bySubject ? this.#timelineRows(reading) : this.#foundRows(reading);
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
        if (nth !== undefined) ofDays[nth]?.push(row); // else of a day that was not requested
      }
      for (const [nth, ofDay] of ofDays.entries()) {
        if (ofDay.length === 0) continue;
        await take(ofDay, nth);
        ofDay.length = 0;
      }
    }
  }

  /** Rows in chunks, in the order of the statement. */
  *#foundRows(reading: PartitionReading): Generator<Row[]> {
    const { where, bounds } = this.#conditionOf(reading);
    let rows: Row[] = [];
    for (const row of this.#selecting(reading.partitions[0].table, where).iterate(...bounds))
      if (rows.push(row) === CHUNK_ROWS) {
        yield rows;
        rows = [];
      }
    yield rows;
  }

  /**
   * Rows in chunks, subject by subject. Each statement continues after the last row, which takes a fifth
   * less time than row by row.
   */
  *#timelineRows({ partitions }: PartitionReading): Generator<Row[]> {
    const { table } = partitions[0];
    const [subject, time] = table.key.map((name) => quoted(name));
    const positions = table.key.map((key) => table.columns.findIndex(({ name }) => name === key));
    // SQLite goes from subject to subject, without an index on the time
    const statement = this.#selecting(
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
      last = positions.map((position) => rows.at(-1)?.[position]);
    }
  }

  /** SQL condition of a reading's rows, with its values. */
  #conditionOf({ partitions }: PartitionReading): { where: string; bounds: number[] } {
    const [first] = partitions;
    const { dateColumn, dividedBy } = first.table;
    if (dateColumn !== undefined) {
      const column = quoted(dateColumn);
      // `+` keeps SQLite from planning again for each day
      return { where: `where ${column} >= +? and ${column} < +?`, bounds: spanOf(partitions) };
    }
    if (dividedBy === undefined) return { where: '', bounds: [] };
    const { column, subjects, name } = dividedBy;
    const { range } = first;
    // always true: makes SQLite go from subject to subject instead of sorting all rows
    if (range === undefined)
      return { where: `where unlikely(${quoted(column)} >= '')`, bounds: [] };
    return {
      where: `where ${quoted(column)} in (select ${name} from ${subjects} where key >= ? and key < ?)`,
      bounds: [range.first * SUBJECTS_A_PART, (range.last + 1) * SUBJECTS_A_PART],
    };
  }

  /** Rows as arrays in the order of a table's columns, sorted by its key. */
  #selecting(table: ParquetTable, where: string, most = -1): Prepared<unknown[]> {
    if (this.#prepared?.table !== table) this.#prepared = { table, byCondition: new Map() };
    const { byCondition } = this.#prepared;
    const known = byCondition.get(where);
    if (known !== undefined) return known;
    // tags compare without case; a file's order is that of the bytes
    const order = table.key.map((name) => `${quoted(name)} collate binary`).join(', ');
    const statement = prepare(
      this.#sqlite,
      `select ${table.columns.map(({ name }) => quoted(name)).join(', ')} from ${quoted(table.name)}
       ${where} order by ${order} limit ${most}`,
      table.columns.map(({ type }) => KINDS[type]),
    );
    byCondition.set(where, statement);
    return statement;
  }
}
