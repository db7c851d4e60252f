import type { Statement } from 'better-sqlite3';
import { DAY_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { markTouched, partOfSubject } from '../../lake/touched-partitions.ts';

/** Tables that loading fills, by their public names. */
export const LOADED_TABLES = [
  'videos',
  'video_snapshots',
  'rankings',
  'hashtags',
  'hashtag_snapshots',
  'video_hashtags',
  'creators',
  'creator_snapshots',
  'analyses',
] as const;
export type LoadedTable = (typeof LOADED_TABLES)[number];
export type Change = 'inserted' | 'updated' | 'unchanged';
export type RowCounts = Record<Change, number>;
export type LoadCounts = Record<LoadedTable, RowCounts>;

/**
 * Inserts a row, or merges it into the existing one. Two statements, because an upsert does not say which
 * of the two it did. The fields of `row` are in the order of `insert`, because binding by name takes
 * twice as long.
 */
export const insertOrMerge = (insert: Statement, merge: Statement, row: object): Change => {
  if (insert.run(...Object.values(row)).changes > 0) return 'inserted';
  return merge.run(row).changes > 0 ? 'updated' : 'unchanged';
};

export const noRows = (): LoadCounts =>
  Object.fromEntries(
    LOADED_TABLES.map((table) => [table, { inserted: 0, updated: 0, unchanged: 0 }]),
  ) as LoadCounts;

/** Adds `more` to `sum`, in place. */
export const addRows = (sum: LoadCounts, more: LoadCounts): void => {
  for (const table of LOADED_TABLES)
    for (const change of ['inserted', 'updated', 'unchanged'] as const)
      sum[table][change] += more[table][change];
};

/** Rows inserted or updated. */
export const rowsChanged = (counts: LoadCounts): number =>
  LOADED_TABLES.reduce((sum, table) => sum + counts[table].inserted + counts[table].updated, 0);

/** Tables exported by date, and the undated table that shows their newest rows. */
const SUMMARISED_IN: Partial<Record<LoadedTable, LoadedTable>> = {
  video_snapshots: 'videos',
  hashtag_snapshots: 'hashtags',
  creator_snapshots: 'creators',
};
const DIVIDED: ReadonlySet<LoadedTable> = new Set(['videos', 'video_hashtags', 'hashtags']);
const NOT_EXPORTED: ReadonlySet<LoadedTable> = new Set(['analyses']);

/** Parquet partition of a row: its instant, or the key of its video or hashtag. */
interface RowPartition {
  readonly at?: number;
  readonly subjectKey?: number;
}

const NO_PARTITION: RowPartition = {};

/** Changes of one transaction: rows by table, and outdated Parquet partitions. */
export class Tally {
  readonly counts = noRows();
  /** Names of touched partitions by table. */
  readonly #touched = new Map<LoadedTable, Set<string>>();
  /** Cached dates by days since 1970. */
  readonly #days = new Map<number, string>();

  /**
   * Counts rows, default one.
   * @param partition `at` for tables exported by date, `subjectKey` for those divided by videos or hashtags
   */
  add(
    table: LoadedTable,
    change: Change,
    { at, subjectKey }: RowPartition = NO_PARTITION,
    rows = 1,
  ): void {
    this.counts[table][change] += rows;
    if (change === 'unchanged' || rows === 0 || NOT_EXPORTED.has(table)) return;
    this.touch(table, at, subjectKey);
    const summary = SUMMARISED_IN[table];
    if (summary !== undefined) this.touch(summary, undefined, subjectKey);
  }

  /** Notes that a partition is out of date. */
  touch(table: LoadedTable, at?: number, subjectKey?: number): void {
    const name =
      at !== undefined
        ? this.#dayOf(at)
        : DIVIDED.has(table) && subjectKey !== undefined
          ? partOfSubject(subjectKey)
          : '';
    const names = this.#touched.get(table);
    if (names === undefined) this.#touched.set(table, new Set([name]));
    else names.add(name);
  }

  #dayOf(at: number): string {
    const number = Math.floor(at / DAY_MS);
    const known = this.#days.get(number);
    if (known !== undefined) return known;
    const name = dateOf(at);
    this.#days.set(number, name);
    return name;
  }

  /** Marks the touched partitions. Call inside the loading transaction. */
  markTouched(lake: Lake): void {
    for (const [table, names] of this.#touched)
      for (const name of names) markTouched(lake, table, name);
  }
}
