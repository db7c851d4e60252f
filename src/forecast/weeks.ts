import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { DAY_MS } from '../durations.ts';
import { judgeForecasts, scoreOf } from './judge.ts';
import { newestObservation } from './lake-curves.ts';
import { type RecentScore, readModels } from './model-rows.ts';

/** How the forecasts made in one week (from a Monday, UTC) did so far. */
export interface ScoredWeek {
  readonly from: number; // Unix ms
  readonly platform: Platform;
  readonly hours: number;
  readonly score: RecentScore;
}

const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05 was a Monday. */
const MONDAY_MS = 4 * DAY_MS;
const WEEKS = 8;

/** Kept forecasts of the last eight weeks held against what came, by week, platform and horizon. */
export const scoredWeeks = (sqlite: Database.Database, now: number): ScoredWeek[] => {
  const at = newestObservation(sqlite, now);
  if (at === undefined) return [];
  const { models } = readModels(sqlite, at);
  const judged = judgeForecasts(sqlite, models, { from: at - WEEKS * WEEK_MS, to: at, at });
  const weekOf = (madeAt: number): number =>
    Math.floor((madeAt - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;
  const groups = Map.groupBy(
    judged,
    ({ madeAt, platform, hours }) => `${weekOf(madeAt)} ${platform} ${hours}`,
  );
  return [...groups.values()]
    .flatMap((its): ScoredWeek[] => {
      const score = scoreOf(its);
      const first = its[0];
      if (score === null || first === undefined) return [];
      const { madeAt, platform, hours } = first;
      return [{ from: weekOf(madeAt), platform, hours, score }];
    })
    .sort((a, b) => b.from - a.from || a.platform.localeCompare(b.platform) || a.hours - b.hours);
};
