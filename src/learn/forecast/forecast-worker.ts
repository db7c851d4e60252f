import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { LakeError, messageOf } from '../../base/errors.ts';
import { type ForecastSummary, forecastRound } from './forecast-work.ts';

// The thread that learns and forecasts, so that the one that serves or syncs does not stall. See
// forecast-lake.ts.

/** What the thread is started with. */
export interface ForecastOrder {
  readonly lakePath: string;
  readonly now: number;
  readonly anew: boolean;
  /** One number; the thread stops at the next step once it is not 0. */
  readonly stop: SharedArrayBuffer;
}

/** What the thread says, once. */
export type ForecastReport =
  | { readonly done: ForecastSummary }
  | { readonly failed: string; readonly detail: string | undefined };

const run = ({ lakePath, now, anew, stop }: ForecastOrder): ForecastSummary => {
  const flag = new Int32Array(stop);
  const sqlite = new Database(lakePath, { fileMustExist: true, timeout: 30_000 });
  try {
    sqlite.pragma('foreign_keys = ON');
    return forecastRound(sqlite, {
      now,
      anew,
      checkStop: () => {
        if (Atomics.load(flag, 0) !== 0) throw new LakeError('Forecasting was stopped.');
      },
    });
  } finally {
    sqlite.close();
  }
};

const report = (message: ForecastReport): void => parentPort?.postMessage(message);

try {
  report({ done: run(workerData as ForecastOrder) });
} catch (error) {
  const known = error instanceof LakeError;
  report({
    failed: messageOf(error),
    detail: known || !(error instanceof Error) ? undefined : error.stack,
  });
}
