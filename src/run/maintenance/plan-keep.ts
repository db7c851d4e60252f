import type { KeepSettings, KeepSpans } from '../../base/config/keep-setting.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { cutoffOf, daysBetween, passesOf, subjectRanges } from './keep.ts';
import {
  AGED_TABLES,
  type AgedTable,
  CAPTURES_OF_DAY,
  SEARCH_HITS,
  SNAPSHOT_TABLES,
  THINNED_CAPTURES,
} from './keep-tables.ts';

/** Rows that a setting would remove from one table, and the bytes they take. */
export interface KeepSaving {
  /** Public name. */
  readonly table: string;
  readonly rows: number;
  readonly removed: number;
  /** Estimate by the average row. */
  readonly bytes: number;
}

const OLDEST = Number.MIN_SAFE_INTEGER;
const CAPTURED = ['capture', 'captured_at'] as const;

class KeepPlanner {
  readonly #lake: Lake;
  readonly #now: number;
  readonly #savings: KeepSaving[] = [];

  constructor(lake: Lake, now: number) {
    this.#lake = lake;
    this.#now = now;
  }

  get savings(): KeepSaving[] {
    return this.#savings.toSorted((a, b) => (a.table < b.table ? -1 : 1));
  }

  #count(sql: string, bound: object = {}): number {
    return prepare(this.#lake.sqlite, sql, 'number').get(bound) ?? 0;
  }

  #note(table: string, name: string, removed: number): void {
    if (removed === 0) return;
    const rows = this.#count(`select count(*) from ${table}`);
    const size = `select coalesce(sum(pgsize), 0) from dbstat
      where aggregate = true and name in (select name from sqlite_schema where tbl_name = @table)`;
    const bytes = Math.round((this.#count(size, { table }) * removed) / Math.max(rows, 1));
    this.#savings.push({ table: name, rows, removed, bytes });
  }

  snapshots(spans: KeepSpans): void {
    for (const thinned of SNAPSHOT_TABLES) {
      let removed = 0;
      for (const pass of passesOf(spans, this.#now)) {
        const sql = `select count(*) from (${pass[0].rows(thinned)})`;
        for (const range of subjectRanges(this.#lake, thinned, pass))
          removed += this.#count(sql, range);
      }
      this.#note(thinned.table, thinned.name, removed);
    }
  }

  rankings({ full, daily }: KeepSpans): void {
    const ranksOf = (keys: string): string =>
      `select count(*) from ranking where capture_key in (${keys})`;
    const gone = cutoffOf(this.#now, daily);
    let removed = 0;
    for (const day of daysBetween(this.#lake, CAPTURED, OLDEST, gone))
      removed += this.#count(ranksOf(CAPTURES_OF_DAY), day);
    for (const day of daysBetween(this.#lake, CAPTURED, gone, cutoffOf(this.#now, full)))
      removed += this.#count(ranksOf(THINNED_CAPTURES), day);
    this.#note('ranking', 'rankings', removed);
    this.aged(SEARCH_HITS, daily);
  }

  aged({ table, name, at, where = 'true' }: AgedTable, span: number | undefined): void {
    const sql = `select count(*) from ${table} where ${at} < @until and (${where})`;
    this.#note(table, name, this.#count(sql, { until: cutoffOf(this.#now, span) }));
  }
}

/** Rows and bytes that `TRENDLAKE_KEEP` would save, by table. Changes nothing. */
export const planKeep = (lake: Lake, keep: KeepSettings, now: number): KeepSaving[] => {
  const planner = new KeepPlanner(lake, now);
  if (keep.snapshots !== undefined) planner.snapshots(keep.snapshots);
  if (keep.rankings !== undefined) planner.rankings(keep.rankings);
  for (const kind of ['events', 'forecasts', 'calls'] as const) {
    const span = keep[kind];
    for (const aged of AGED_TABLES[kind]) planner.aged(aged, span);
  }
  return planner.savings;
};
