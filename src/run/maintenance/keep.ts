import type { Clock } from '../../base/clock.ts';
import type { KeepSettings } from '../../base/config/keep-setting.ts';
import { dateOf } from '../../base/iso.ts';
import { syncLake, withoutSync } from '../../lake/durability.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { noteDailyBefore } from '../../lake/read/video-growth.ts';
import { prepared, statement } from '../../lake/statements.ts';
import { markTouched } from '../../lake/touched-partitions.ts';
import { type Batch, batchesOf, cutoffOf, ROWS_A_BATCH } from './keep-tables.ts';

/** Rows removed, by public table name. */
export type KeptAway = Record<string, number>;

/** Removes at most `ROWS_A_BATCH` rows of a batch, in a transaction. @returns how many */
const removeBatch = (lake: Lake, batch: Batch): number => {
  const { table, name, key, at, isExported, rows, before = [], after = [] } = batch;
  const bound = { ...batch.bound, limit: ROWS_A_BATCH };
  for (const sql of before) statement(lake, sql).run(bound);
  const sql = `delete from ${table} where (${key}) in (${rows}) returning ${at}`;
  const removed = prepared(lake, sql, 'number').all(bound);
  for (const sql of after) statement(lake, sql).run(bound);
  if (isExported === true)
    for (const date of new Set(removed.map(dateOf))) markTouched(lake, name, date);
  return removed.length;
};

/**
 * Thins and removes old rows as `TRENDLAKE_KEEP` says, in short transactions between which others
 * write. Killed at any moment, the next call goes on. Parquet files follow with the next export.
 * @returns rows removed by table
 * @throws the signal's reason when stopped
 */
export const keepLake = async (
  lake: Lake,
  keep: KeepSettings,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<KeptAway> => {
  const counts: KeptAway = {};
  for (const batch of batchesOf(lake, keep, clock.now())) {
    const remove = lake.sqlite.transaction(() => removeBatch(lake, batch));
    let removed: number;
    do {
      removed = withoutSync(lake, () => remove.immediate());
      if (removed > 0) counts[batch.name] = (counts[batch.name] ?? 0) + removed;
      await clock.sleep(0, signal);
    } while (removed === ROWS_A_BATCH);
  }
  const { full } = keep.snapshots ?? {};
  if (full !== undefined) noteDailyBefore(lake, cutoffOf(clock.now(), full));
  syncLake(lake);
  return counts;
};

/** Rows that a setting would remove from one table, and the bytes they take. */
interface KeepSaving {
  /** Public name. */
  readonly table: string;
  readonly rows: number;
  readonly removed: number;
  /** Estimate by the average row. */
  readonly bytes: number;
}

const SIZE = `
  select coalesce(sum(pgsize), 0) from dbstat
  where aggregate = true and name in (select name from sqlite_schema where tbl_name = @table)`;

/** Rows and bytes that `TRENDLAKE_KEEP` would save, by table. Changes nothing. */
export const planKeep = (lake: Lake, keep: KeepSettings, now: number): KeepSaving[] => {
  const count = (sql: string, bound: object = {}): number =>
    prepare(lake.sqlite, sql, 'number').get(bound) ?? 0;
  const tables = new Map<string, { name: string; removed: number }>();
  for (const { table, name, rows, bound } of batchesOf(lake, keep, now)) {
    const removed = count(`select count(*) from (${rows})`, { ...bound, limit: -1 });
    tables.set(table, { name, removed: (tables.get(table)?.removed ?? 0) + removed });
  }
  return [...tables]
    .filter(([, { removed }]) => removed > 0)
    .map(([table, { name, removed }]) => {
      const rows = count(`select count(*) from ${table}`);
      const bytes = Math.round((count(SIZE, { table }) * removed) / Math.max(rows, 1));
      return { table: name, rows, removed, bytes };
    })
    .sort((a, b) => (a.table < b.table ? -1 : 1));
};
