import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { cadenceOf } from '../model/curve.ts';
import { CurveReader, videoKind } from '../model/lake-curves.ts';
import { hasOutcome, learnWay, type WayModel, withheldHorizons } from '../model/learn.ts';
import { scoreOf } from '../model/misses.ts';
import { type ModelRow, modelName, readModels, storeModel } from '../model/model-rows.ts';
import { newestObservation, platformsSeen } from '../model/observations.ts';
import { packModel } from '../model/pack.ts';
import { volumeRound } from '../volumes/volume-round.ts';
import { forecastTracked } from './forecast-rows.ts';
import { judgeForecasts } from './judge.ts';

export interface ForecastSummary {
  /** Models learnt. */
  readonly learnt: number;
  /** Videos with a new forecast. */
  readonly forecast: number;
  /** Hashtags with a new forecast. */
  readonly hashtags: number;
  /** Unreadable models, in words. `status` names rejected ones. */
  readonly warnings: readonly string[];
}

/** A model is relearned daily, and weekly after 28 days of history. */
const YOUNG_MS = 28 * DAY_MS;
const NIGHT_MS = 20 * HOUR_MS;
const WEEK_MS = 6.5 * DAY_MS;
const dueAfterMs = (watchedMs: number): number => (watchedMs < YOUNG_MS ? NIGHT_MS : WEEK_MS);

/** Instant of the platform's newest model; -Infinity without one. */
const newestOf = (models: ReadonlyMap<string, ModelRow>, platform: Platform): number =>
  [...models.values()]
    .filter((row) => row.platform === platform)
    .reduce((newest, { learntAt }) => Math.max(newest, learntAt), Number.NEGATIVE_INFINITY);

/** Relearned models per platform and round, oldest first, to keep a night short. */
const MOST_AGAIN = 3;
const JUDGED_MS = 28 * DAY_MS;

interface Learning {
  readonly at: number;
  readonly relearn: boolean;
  readonly known: ReadonlyMap<string, ModelRow>;
  readonly checkStop: () => void;
}

/** Kinds without a model, and the oldest of the others that are due. */
const dueKinds = (
  platform: Platform,
  kinds: readonly { readonly kind: string; readonly since: number }[],
  { at, relearn, known }: Learning,
): Set<string> => {
  const ages = kinds.map(({ kind, since }) => {
    const learntAt = known.get(modelName(platform, kind))?.learntAt;
    const age = learntAt === undefined ? Number.POSITIVE_INFINITY : at - learntAt;
    return { kind, age, due: dueAfterMs(at - since) };
  });
  const fresh = ages.filter(({ age }) => age === Number.POSITIVE_INFINITY);
  const old = ages.filter(({ age, due }) => Number.isFinite(age) && age >= due);
  const again = old.sort((a, b) => b.age - a.age).slice(0, MOST_AGAIN);
  const chosen = relearn ? ages.filter(({ age }) => age > 0) : [...fresh, ...again];
  return new Set(chosen.map(({ kind }) => kind));
};

const isNoBetterThanAverage = ({ brier }: WayModel): boolean => brier.stated >= brier.average;

const learnPlatform = (
  sqlite: Database.Database,
  platform: Platform,
  learning: Learning,
): Omit<ModelRow, 'id' | 'samples'>[] => {
  const { at, known } = learning;
  const reader = new CurveReader(sqlite);
  const ways = reader.teaching(platform, at);
  const kinds = [...ways].map(([way, { since }]) => ({ kind: videoKind(way), since }));
  const due = dueKinds(platform, kinds, learning);
  if (due.size === 0) return [];
  const judged = judgeForecasts(sqlite, known, { from: at - JUDGED_MS, to: at, at });
  return [...ways].flatMap(([way, { since, parts, curves }]) => {
    learning.checkStop();
    const kind = videoKind(way);
    const taught = due.has(kind) ? curves() : [];
    const learnt = due.has(kind) ? learnWay(taught, at, since) : undefined;
    if (learnt === undefined) return [];
    const model = parts === undefined ? learnt : { ...learnt, parts };
    const own = judged.filter((row) => row.platform === platform && row.kind === kind);
    const byHorizon = Map.groupBy(own, ({ hours }) => hours);
    const recentOf = new Map([...byHorizon].map(([hours, rows]) => [hours, scoreOf(rows)]));
    const withheld = withheldHorizons(model, recentOf);
    const reason = isNoBetterThanAverage(model)
      ? 'its probabilities on held-back videos are no better than their average'
      : null;
    const recent = scoreOf(own);
    const { naming } = model;
    const cadence = cadenceOf(taught.filter(hasOutcome));
    const scores = { used: reason === null, reason, recent, withheld, cadence, naming };
    return [{ kind, platform, learntAt: at, scores, model }];
  });
};

type Round = { readonly now: number; readonly relearn: boolean; readonly checkStop: () => void };

const videoRound = (
  sqlite: Database.Database,
  { now, relearn, checkStop }: Round,
): Omit<ForecastSummary, 'hashtags'> => {
  const at = newestObservation(sqlite, now);
  if (at === undefined) return { learnt: 0, forecast: 0, warnings: [] };
  const before = readModels(sqlite, at);
  const warnings = before.unreadable.map(({ warning }) => warning);
  let learnt = 0;
  const learning = { at, relearn, known: before.models, checkStop };
  const damaged = new Set(before.unreadable.map(({ platform }) => platform));
  const mayLearn = platformsSeen(sqlite).filter(
    (platform) =>
      relearn || damaged.has(platform) || at - newestOf(before.models, platform) >= NIGHT_MS,
  );
  for (const platform of mayLearn)
    for (const row of learnPlatform(sqlite, platform, learning)) {
      const { model, ...facts } = row;
      const { learntUntil, finished: samples } = model;
      storeModel(sqlite, { ...facts, learntUntil, samples, parameters: packModel(model) });
      learnt += 1;
    }
  const { models } = learnt > 0 ? readModels(sqlite, at) : before;
  return { learnt, forecast: forecastTracked(sqlite, models, at, checkStop), warnings };
};

/**
 * Learns the due models, then forecasts, as of the newest observations at or before `now`. A second
 * round over the same lake writes nothing. `checkStop` throws to stop; written rows stay.
 */
export const forecastRound = (sqlite: Database.Database, round: Round): ForecastSummary => {
  const videos = videoRound(sqlite, round);
  const tags = volumeRound(sqlite, round);
  return {
    learnt: videos.learnt + tags.learnt,
    forecast: videos.forecast,
    hashtags: tags.forecast,
    warnings: [...videos.warnings, ...tags.warnings],
  };
};
