import type Database from 'better-sqlite3';
import type { Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { cadenceOf } from '../model/curve.ts';
import { CurveReader, videoKind } from '../model/lake-curves.ts';
import { hasOutcome, learnWay, type WayModel, withheldHorizons } from '../model/learn.ts';
import { reasonAgainst, scoreOf } from '../model/misses.ts';
import {
  type ModelRow,
  type ModelsRead,
  modelName,
  type NewModel,
  readModels,
  readVolumeModels,
  storeModel,
  type VolumeModelsRead,
} from '../model/model-rows.ts';
import { newestObservation, platformsSeen } from '../model/observations.ts';
import { packModel } from '../model/pack.ts';
import { judgeVolumes } from '../volumes/judge-volumes.ts';
import {
  newestVolume,
  type VolumeGroup,
  VolumeReader,
  volumeKind,
} from '../volumes/lake-volumes.ts';
import { learnVolumes } from '../volumes/learn-volumes.ts';
import { forecastVolumes } from '../volumes/volume-rows.ts';
import { AHEAD_MS } from '../volumes/volume-series.ts';
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
/** Forecasts of so long ago judge a model. */
const JUDGED_MS = 28 * DAY_MS;

type Round = { readonly now: number; readonly relearn: boolean; readonly checkStop: () => void };

/** A round as of the newest observation at or before `now`. */
type RoundAt = Omit<Round, 'now'> & { readonly at: number };

/** Kinds without a model, and the oldest of the others that are due. */
const dueKinds = (
  platform: Platform,
  kinds: readonly { readonly kind: string; readonly since: number }[],
  { at, relearn }: RoundAt,
  known: ModelsRead['models'],
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
  round: RoundAt,
  known: ModelsRead['models'],
): NewModel[] => {
  const { at } = round;
  const ways = new CurveReader(sqlite).teaching(platform, at);
  const kinds = [...ways].map(([way, { since }]) => ({ kind: videoKind(way), since }));
  const due = dueKinds(platform, kinds, round, known);
  if (due.size === 0) return [];
  const judged = judgeForecasts(sqlite, known, { from: at - JUDGED_MS, to: at, at });
  return [...ways].flatMap(([way, { since, parts, curves }]): NewModel[] => {
    round.checkStop();
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
    const { naming, learntUntil, finished: samples } = model;
    const cadence = cadenceOf(taught.filter(hasOutcome));
    const scores = { used: reason === null, reason, recent, withheld, cadence, naming };
    const parameters = packModel(model);
    return [{ kind, platform, learntAt: at, learntUntil, samples, scores, parameters }];
  });
};

function* learnVideos(
  sqlite: Database.Database,
  round: RoundAt,
  { models, unreadable }: ModelsRead,
): Generator<NewModel> {
  const damaged = new Set(unreadable.map(({ platform }) => platform));
  for (const platform of platformsSeen(sqlite))
    if (round.relearn || damaged.has(platform) || round.at - newestOf(models, platform) >= NIGHT_MS)
      yield* learnPlatform(sqlite, platform, round, models);
}

function* learnHashtags(
  sqlite: Database.Database,
  groups: readonly VolumeGroup[],
  { at, relearn, checkStop }: RoundAt,
  { models }: VolumeModelsRead,
): Generator<NewModel> {
  const reader = new VolumeReader(sqlite);
  for (const group of groups) {
    const { platform } = group;
    const kind = volumeKind(group);
    const learntAt = models.get(modelName(platform, kind))?.learntAt ?? Number.NEGATIVE_INFINITY;
    if (at - learntAt < (relearn ? 1 : WEEK_MS)) continue;
    checkStop();
    const model = learnVolumes(reader.teaching(group, at), at);
    if (model === undefined) continue;
    // a week longer than for videos: the first forecasts come due then
    const span = { from: at - JUDGED_MS - AHEAD_MS, to: at, at };
    const judged = judgeVolumes(sqlite, models, span);
    const recent = scoreOf(judged.filter((row) => row.platform === platform && row.kind === kind));
    const reason = reasonAgainst(recent);
    const { learntUntil, tagWeeks: samples } = model;
    const scores = { used: reason === null, reason, recent, naming: [] };
    const parameters = packModel(model);
    yield { kind, platform, learntAt: at, learntUntil, samples, scores, parameters };
  }
}

type Part = Pick<ForecastSummary, 'learnt' | 'forecast' | 'warnings'>;
const NOTHING: Part = { learnt: 0, forecast: 0, warnings: [] };

/** Stores the models that are learnt from the known ones, then forecasts with the newest. */
const learnAndForecast = <
  Read extends Pick<ModelsRead<unknown, Platform | ''>, 'models' | 'unreadable'>,
>(
  sqlite: Database.Database,
  read: () => Read,
  learn: (known: Read) => Iterable<NewModel>,
  forecast: (models: Read['models']) => number,
): Part => {
  const before = read();
  let learnt = 0;
  for (const model of learn(before)) {
    storeModel(sqlite, model);
    learnt += 1;
  }
  const { models } = learnt > 0 ? read() : before;
  const warnings = before.unreadable.map(({ warning }) => warning);
  return { learnt, forecast: forecast(models), warnings };
};

const videoRound = (sqlite: Database.Database, { now, ...round }: Round): Part => {
  const at = newestObservation(sqlite, now);
  if (at === undefined) return NOTHING;
  return learnAndForecast(
    sqlite,
    () => readModels(sqlite, at),
    (known) => learnVideos(sqlite, { ...round, at }, known),
    (models) => forecastTracked(sqlite, models, at, round.checkStop),
  );
};

const hashtagRound = (sqlite: Database.Database, { now, ...round }: Round): Part => {
  const at = newestVolume(sqlite, now);
  if (at === undefined) return NOTHING;
  const groups = new VolumeReader(sqlite).groups(at);
  return learnAndForecast(
    sqlite,
    () => readVolumeModels(sqlite, at),
    (known) => learnHashtags(sqlite, groups, { ...round, at }, known),
    (models) => {
      const rows = groups.flatMap((group) => {
        const row = models.get(modelName(group.platform, volumeKind(group)));
        return row?.scores.used === true ? [{ group, row, at }] : [];
      });
      return rows.reduce((sum, row) => sum + forecastVolumes(sqlite, row, round.checkStop), 0);
    },
  );
};

/**
 * Learns the due models, then forecasts, as of the newest observations at or before `now`. A second
 * round over the same lake writes nothing. `checkStop` throws to stop; written rows stay.
 */
export const forecastRound = (sqlite: Database.Database, round: Round): ForecastSummary => {
  const videos = videoRound(sqlite, round);
  const hashtags = hashtagRound(sqlite, round);
  return {
    learnt: videos.learnt + hashtags.learnt,
    forecast: videos.forecast,
    hashtags: hashtags.forecast,
    warnings: [...videos.warnings, ...hashtags.warnings],
  };
};
