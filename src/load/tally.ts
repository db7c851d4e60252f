import type { Statement } from 'better-sqlite3';
import { DAY_MS } from '../durations.ts';
import { dateOf } from '../iso.ts';
import type { Lake } from '../lake/open.ts';
import { markTouched } from '../lake/touched-partitions.ts';

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
 * Inserts a row, or where its key stands already, lets `merge` fill and correct it. Two statements
 * instead of one upsert, because an upsert cannot say which of the two it did. `row` names what
 * `merge` binds, in the order in which `insert` takes it: binding by name takes as long again.
 */
export const insertOrMerge = (insert: Statement, merge: Statement, row: object): Change => {
  if (insert.run(...Object.values(row)).changes > 0) return 'inserted';
  return merge.run(row).changes > 0 ? 'updated' : 'unchanged';
};

/** Counts of nothing loaded yet. */
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

/** Tables exported by date, and the table of one file whose rows show their newest state. */
const SUMMARISED_IN: Partial<Record<LoadedTable, LoadedTable>> = {
  video_snapshots: 'videos',
  hashtag_snapshots: 'hashtags',
  creator_snapshots: 'creators',
};
const ONE_FILE = -1;
const NOT_EXPORTED: ReadonlySet<LoadedTable> = new Set(['analyses']);

/** What one transaction changed: rows by table, and the Parquet partitions that are out of date. */
export class Tally {
  readonly counts = noRows();
  /** Days (since 1970, UTC) touched of each table; -1 for tables of one file. */
  readonly #touched = new Map<LoadedTable, Set<number>>();

  /** Counts one row. `observedAt` names the partition of tables exported by date. */
  add(table: LoadedTable, change: Change, observedAt?: number): void {
    this.counts[table][change] += 1;
    if (change === 'unchanged' || NOT_EXPORTED.has(table)) return;
    this.touch(table, observedAt);
    const summary = SUMMARISED_IN[table];
    if (summary !== undefined) this.touch(summary);
  }

  /** Notes that the partition of an instant is out of date, or a table of one file. */
  touch(table: LoadedTable, observedAt?: number): void {
    this.#touch(table, observedAt === undefined ? ONE_FILE : Math.floor(observedAt / DAY_MS));
  }

  #touch(table: LoadedTable, day: number): void {
    const days = this.#touched.get(table);
    if (days === undefined) this.#touched.set(table, new Set([day]));
    else days.add(day);
  }

  /** Marks the touched partitions. Call inside the loading transaction. */
  markTouched(lake: Lake): void {
    for (const [table, days] of this.#touched)
      for (const day of days)
        markTouched(lake, table, day === ONE_FILE ? '' : dateOf(day * DAY_MS));
  }
}
