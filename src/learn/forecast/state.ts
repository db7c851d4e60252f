import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { prepare } from '../../lake/prepare.ts';
import {
  finishedCounts,
  newestObservation,
  platformsSeen,
  videoKind,
  type Way,
} from '../model/lake-curves.ts';
import { LEAST_FINISHED } from '../model/learn.ts';
import type { ModelScores, RecentScore } from '../model/model-rows.ts';
import { HASHTAG_KINDS } from '../volumes/lake-volumes.ts';
import { volumeStands } from '../volumes/volume-stands.ts';

/** Where the forecasts of one platform and way of first sight stand. */
export interface ForecastState {
  readonly platform: Platform | ''; // '' for hashtag volumes over all platforms
  readonly kind: string;
  /**
   * `used`; `silent`: too little was watched; `waiting`: enough of them, not yet learnt; `dropped`:
   * worse than a baseline.
   */
  readonly state: 'used' | 'silent' | 'waiting' | 'dropped';
  readonly finished: number;
  /** Still lacking before anything is forecast. */
  readonly lacking: number;
  /**
   * What the two count: curves; of hashtags outcomes, one a tag and week, or days watched while
   * those are too few.
   */
  readonly counts: 'finished curves' | 'outcomes' | 'days';
  readonly learntAt: number | null; // Unix ms
  readonly reason: string | null;
  readonly recent: RecentScore | null;
}

interface NewestModel {
  platform: Platform | '';
  kind: string;
  learntAt: number;
  samples: number;
  scores: string;
}

/** Says of every platform and way of first sight whether forecasts are made, and what they lack. */
export const forecastStates = (sqlite: Database.Database, now: number): ForecastState[] => {
  const models = prepare<NewestModel>(
    sqlite,
    'select platform, kind, max(learnt_at) as learntAt, samples, scores from models where learnt_at <= ? group by platform, kind order by platform, kind',
    { platform: 'text', kind: 'text', learntAt: 'number', samples: 'number', scores: 'text' },
  ).all(now);
  const states = models.map(({ platform, kind, learntAt, samples, scores }): ForecastState => {
    const { used, reason, recent } = JSON.parse(scores) as ModelScores;
    const state = used ? 'used' : 'dropped';
    const counts = kind.startsWith(HASHTAG_KINDS) ? 'outcomes' : 'finished curves';
    return {
      platform,
      kind,
      state,
      finished: samples,
      lacking: 0,
      counts,
      learntAt,
      reason,
      recent,
    };
  });
  const isKnown = (platform: string, kind: string): boolean =>
    states.some((its) => its.platform === platform && its.kind === kind);
  const nothing = { learntAt: null, reason: null, recent: null };
  const isUnknown = (platform: string, kind: string): boolean => !isKnown(platform, kind);
  for (const stands of volumeStands(sqlite, now, isUnknown)) {
    const state = stands.lacking > 0 ? 'silent' : 'waiting';
    states.push({ state, ...stands, ...nothing });
  }
  const at = newestObservation(sqlite, now);
  if (at === undefined) return states;
  for (const platform of platformsSeen(sqlite)) {
    const wanted = (way: Way): boolean => !isKnown(platform, videoKind(way));
    const counted = { platform, at, enough: LEAST_FINISHED, wanted };
    for (const [way, finished] of finishedCounts(sqlite, counted)) {
      const kind = videoKind(way);
      const lacking = Math.max(0, LEAST_FINISHED - finished);
      const state = lacking > 0 ? 'silent' : 'waiting';
      states.push({
        platform,
        kind,
        state,
        finished,
        lacking,
        ...nothing,
        counts: 'finished curves',
      });
    }
  }
  return states;
};
