import Database from 'better-sqlite3';
import { LakeError } from '../../base/errors.ts';
import { answerRequests } from '../../base/thread.ts';
import { forecastRound } from './forecast-work.ts';

export interface ForecastRequest {
  readonly lakePath: string;
  readonly now: number; // Unix ms
  readonly relearn: boolean;
}

answerRequests(({ lakePath, now, relearn }: ForecastRequest, { isStopped }) => {
  const sqlite = new Database(lakePath, { fileMustExist: true, timeout: 30_000 });
  try {
    sqlite.pragma('foreign_keys = ON');
    const checkStop = (): void => {
      if (isStopped()) throw new LakeError('Forecasting was stopped.');
    };
    return forecastRound(sqlite, { now, relearn, checkStop });
  } finally {
    sqlite.close();
  }
});
