import type Database from 'better-sqlite3';
import { dateOf } from '../../base/iso.ts';
import { prepare, type RowOf, required, type Shape } from '../../lake/prepare.ts';
import { MARK_TOUCHED } from '../../lake/touched-partitions.ts';

/** Forecasts per transaction, so that other writers get their turn. */
const AT_ONCE = 500;

interface Storing<Forecast> {
  readonly table: 'forecasts' | 'hashtag_forecasts'; // in Parquet
  /** @returns number of new rows */
  readonly insert: (forecast: Forecast) => number;
  /** Throws to stop; stored rows stay. */
  readonly checkStop: () => void;
}

/** Stores forecasts and marks their Parquet partitions. @returns number of forecasts with a new row */
export const storeForecasts = <Forecast extends { readonly madeAt: number }>(
  sqlite: Database.Database,
  forecasts: Iterable<Forecast>,
  { table, insert, checkStop }: Storing<Forecast>,
): number => {
  const touch = sqlite.prepare(MARK_TOUCHED);
  const store = sqlite.transaction((batch: readonly Forecast[]): number => {
    const fresh = batch.filter((forecast) => insert(forecast) > 0);
    const dates = new Set(fresh.map(({ madeAt }) => dateOf(madeAt)));
    for (const date of dates) touch.run(table, date);
    return fresh.length;
  });
  let batch: Forecast[] = [];
  let stored = 0;
  const flush = (): void => {
    checkStop();
    stored += store.immediate(batch);
    batch = [];
  };
  for (const forecast of forecasts) {
    batch.push(forecast);
    if (batch.length >= AT_ONCE) flush();
  }
  if (batch.length > 0) flush();
  return stored;
};

/** Forecasts made after `from` and until `to`, judged by the lake as of `at`; all Unix ms. */
export interface JudgedSpan {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

const MOST_ROWS = 12_000;

/**
 * Reads every n-th subject of a large lake. The sample is the same for the same lake.
 * @param query has the parameters `@from`, `@to`, `@at`, and `@every` to read each n-th subject
 */
export const sampledForecasts = <const S extends Shape>(
  sqlite: Database.Database,
  { table, sql, shape }: { table: 'forecast' | 'hashtag_forecast'; sql: string; shape: S },
  span: JudgedSpan,
): RowOf<S>[] => {
  const counted = `select count(*) from ${table} where made_at > @from and made_at <= @to`;
  const { from, to } = span;
  const count = required(prepare(sqlite, counted, 'number').get({ from, to }));
  const every = Math.max(1, Math.ceil(count / MOST_ROWS));
  return prepare(sqlite, sql, shape).all({ ...span, every });
};
