import type Database from 'better-sqlite3';
import { dateOf } from '../../base/iso.ts';
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
