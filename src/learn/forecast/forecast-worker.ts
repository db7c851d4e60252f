import Database from 'better-sqlite3';
import { LakeError } from '../../base/errors.ts';
import { answerRequests } from '../../base/thread.ts';
import { forecastRound } from './forecast-work.ts';

// Learns and forecasts, so that the thread that serves or syncs does not stall.

export interface ForecastRequest {
  readonly lakePath: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Learn even models that were learned today. */
  readonly anew: boolean;
}

answerRequests(({ lakePath, now, anew }: ForecastRequest, { isStopped }) => {
  const sqlite = new Database(lakePath, { fileMustExist: true, timeout: 30_000 });
  try {
    sqlite.pragma('foreign_keys = ON');
    const checkStop = (): void => {
      if (isStopped()) throw new LakeError('Forecasting was stopped.');
    };
    return forecastRound(sqlite, { now, anew, checkStop });
  } finally {
    sqlite.close();
  }
});
