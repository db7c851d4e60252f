import type Database from 'better-sqlite3';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import { type RecentScore, scoreOf } from '../model/misses.ts';
import { readModels } from '../model/model-rows.ts';
import { newestObservation } from '../model/observations.ts';
import { judgeForecasts } from './judge.ts';
import { risingVideos } from './read.ts';
import type { RisingVideo } from './shapes.ts';

export interface Outlook {
  /** The five most likely to finish on top, over all platforms, with views a day ahead. */
  readonly next: readonly RisingVideo[];
  /**
   * Score of yesterday's day-ahead forecasts of videos that were counted since, in a large lake of a
   * sample; null without any.
   */
  readonly yesterday: RecentScore | null;
}

const SHOWN = 5;
/** Forecasts of one night are up to this old a day later: runs are not exactly a day apart. */
const OLDEST_MS = 36 * HOUR_MS;

/** As of the newest observation at or before `now`. */
export const outlookAt = (sqlite: Database.Database, now: number): Outlook => {
  const at = newestObservation(sqlite, now);
  if (at === undefined) return { next: [], yesterday: null };
  const next = PLATFORMS.flatMap((platform) =>
    risingVideos(sqlite, { platform, hours: 24, at, limit: SHOWN }),
  );
  const { models } = readModels(sqlite, at);
  const since = { from: at - OLDEST_MS, to: at, at };
  const judged = judgeForecasts(sqlite, models, since).filter(({ hours }) => hours === 24);
  return {
    next: next.sort((a, b) => b.topProbability - a.topProbability).slice(0, SHOWN),
    yesterday: scoreOf(judged),
  };
};
