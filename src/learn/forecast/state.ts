import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { prepare } from '../../lake/prepare.ts';
import { finishedCounts, modelOf, videoKind, type Way } from '../model/lake-curves.ts';
import { LEAST_FINISHED } from '../model/learn.ts';
import type { RecentScore, WithheldHorizon } from '../model/misses.ts';
import { HASHTAG_KINDS, type ModelScores, readModels } from '../model/model-rows.ts';
import { newestObservation, platformsSeen } from '../model/observations.ts';
import { newestVolume, VolumeReader, volumeKind } from '../volumes/lake-volumes.ts';
import { LEAST_TAG_WEEKS, LEAST_WATCHED_MS, tagWeeksOf } from '../volumes/learn-volumes.ts';

/** State of the forecasts of one platform and kind. */
export interface ForecastState {
  readonly platform: Platform | ''; // '' for hashtag volumes over all platforms
  readonly kind: string;
  /** `silent`: too little history; `waiting`: not learned yet; `dropped`: worse than a baseline. */
  readonly state: 'used' | 'silent' | 'waiting' | 'dropped';
  readonly finished: number;
  /** Missing before the first forecast. */
  readonly lacking: number;
  /** Unit of both. Hashtags count days first, then outcomes, one a tag and week. */
  readonly counts: 'finished curves' | 'outcomes' | 'days';
  readonly learntAt: number | null; // Unix ms
  readonly reason: string | null;
  readonly recent: RecentScore | null;
  /** Horizons that are not shown, because a baseline does as well. */
  readonly withheld: readonly WithheldHorizon[];
}

const UNLEARNED = { learntAt: null, reason: null, recent: null, withheld: [] } as const;

/** Name of a kind for people: what the videos or hashtags have in common. */
export const kindWords = (kind: string): string => {
  const [of, way = '', ...rest] = kind.split('.');
  const part = rest.join('.');
  if (of === 'hashtag') return `hashtag volumes${part === '' ? '' : `, ${part}`}`;
  if (way === 'lists') return 'all lists';
  if (way === 'creator') return 'videos of creators';
  if (way === 'trends') return part === '' ? 'trends' : `trends of the ${part}`;
  return part === '' ? way : `${way} ${part}`;
};

type Progress = Pick<ForecastState, 'platform' | 'kind' | 'finished' | 'lacking' | 'counts'>;

/** Progress of the wanted groups that have volumes of the last two days: days for eight weeks, then outcomes. */
const volumeProgress = (
  sqlite: Database.Database,
  now: number,
  isWanted: (platform: Progress['platform'], kind: string) => boolean,
): Progress[] => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return [];
  const reader = new VolumeReader(sqlite);
  const days = Math.floor((at - reader.since(at)) / DAY_MS);
  const lacking = LEAST_WATCHED_MS / DAY_MS - days;
  return reader.groups(at).flatMap((group): Progress[] => {
    const name = { platform: group.platform, kind: volumeKind(group) };
    if (!isWanted(name.platform, name.kind)) return [];
    if (lacking > 0) return [{ ...name, finished: days, lacking, counts: 'days' }];
    const finished = tagWeeksOf(reader.teaching(group, at));
    const lackingWeeks = Math.max(0, LEAST_TAG_WEEKS - finished);
    return [{ ...name, finished, lacking: lackingWeeks, counts: 'outcomes' }];
  });
};

export const forecastStates = (sqlite: Database.Database, now: number): ForecastState[] => {
  const models = prepare(
    sqlite,
    'select platform, kind, max(learnt_at) as learntAt, samples, scores from models where learnt_at <= ? group by platform, kind order by platform, kind',
    { platform: 'platforms', kind: 'text', learntAt: 'number', samples: 'number', scores: 'text' },
  ).all(now);
  const states = models.map(({ platform, kind, learntAt, samples, scores }): ForecastState => {
    const { used, reason, recent, withheld = [] } = JSON.parse(scores) as ModelScores;
    const state = used ? 'used' : 'dropped';
    const counts = kind.startsWith(HASHTAG_KINDS) ? 'outcomes' : 'finished curves';
    const outcome = { state, finished: samples, lacking: 0, counts } as const;
    return { platform, kind, ...outcome, learntAt, reason, recent, withheld };
  });
  const isUnknown = (platform: string, kind: string): boolean =>
    !states.some((row) => row.platform === platform && row.kind === kind);
  const addUnlearned = (progress: Progress): void => {
    const state = progress.lacking > 0 ? 'silent' : 'waiting';
    states.push({ ...progress, ...UNLEARNED, state });
  };
  volumeProgress(sqlite, now, isUnknown).forEach(addUnlearned);
  const at = newestObservation(sqlite, now);
  if (at === undefined) return states;
  const used = readModels(sqlite, now);
  for (const platform of platformsSeen(sqlite)) {
    const wanted = (way: Way): boolean => modelOf(used.models, platform, way) === undefined;
    for (const [way, finished] of finishedCounts(sqlite, platform, at, wanted)) {
      const kind = videoKind(way);
      const lacking = Math.max(0, LEAST_FINISHED - finished);
      addUnlearned({ platform, kind, finished, lacking, counts: 'finished curves' });
    }
  }
  return states;
};
