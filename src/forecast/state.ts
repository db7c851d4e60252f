import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { finishedCounts, kindOf, newestObservation, platformsSeen } from './lake-curves.ts';
import { LEAST_FINISHED } from './learn.ts';
import type { ModelScores, RecentScore } from './model-rows.ts';

/** Where the forecasts of one platform and way of first sight stand. */
export interface ForecastState {
  readonly platform: Platform;
  readonly kind: string;
  /** `used`; `silent`: too few finished curves; `waiting`: enough of them, not yet learnt; `dropped`: worse than a baseline. */
  readonly state: 'used' | 'silent' | 'waiting' | 'dropped';
  readonly finished: number;
  /** Finished curves still lacking. */
  readonly lacking: number;
  readonly learntAt: number | null; // Unix ms
  readonly reason: string | null;
  readonly recent: RecentScore | null;
}

interface NewestModel {
  platform: Platform;
  kind: string;
  learntAt: number;
  samples: number;
  scores: string;
}

/** Says of every platform and way of first sight whether forecasts are made, and what they lack. */
export const forecastStates = (sqlite: Database.Database, now: number): ForecastState[] => {
  const models = sqlite
    .prepare(
      'select platform, kind, max(learnt_at) as learntAt, samples, scores from models group by platform, kind order by platform, kind',
    )
    .all() as NewestModel[];
  const states = models.map(({ platform, kind, learntAt, samples, scores }): ForecastState => {
    const { used, reason, recent } = JSON.parse(scores) as ModelScores;
    const state = used ? 'used' : 'dropped';
    return { platform, kind, state, finished: samples, lacking: 0, learntAt, reason, recent };
  });
  const at = newestObservation(sqlite, now);
  if (at === undefined) return states;
  const nothing = { learntAt: null, reason: null, recent: null };
  for (const platform of platformsSeen(sqlite))
    for (const [way, finished] of finishedCounts(sqlite, platform, at, LEAST_FINISHED)) {
      const kind = kindOf(way);
      if (states.some((its) => its.platform === platform && its.kind === kind)) continue;
      const lacking = Math.max(0, LEAST_FINISHED - finished);
      const state = lacking > 0 ? 'silent' : 'waiting';
      states.push({ platform, kind, state, finished, lacking, ...nothing });
    }
  return states;
};
