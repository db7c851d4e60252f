import type Database from 'better-sqlite3';
import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { endedOnTop, finishedAt, isComparable } from '../model/cohort.ts';
import { CurveReader, modelOf, videoKind } from '../model/lake-curves.ts';
import { finishedAfterMs, hasOutcome } from '../model/learn.ts';
import { type Judged, type RecentScore, scoreOf } from '../model/misses.ts';
import { type ModelRow, modelName, readModels, readVolumeModels } from '../model/model-rows.ts';
import { newestObservation } from '../model/observations.ts';
import { judgeVolumes } from '../volumes/judge-volumes.ts';
import { newestVolume } from '../volumes/lake-volumes.ts';
import { judgeViews, type KeptOfVideo, keptForecasts } from './judge.ts';
import { type Reliability, reliabilityOf, type StatedProbability } from './reliability.ts';

/** Score of the forecasts made in one week (from a Monday, UTC). */
export interface ScoredWeek {
  readonly from: number; // Unix ms
  readonly of: 'videos' | 'hashtags';
  readonly platform: Platform | ''; // '' for hashtag volumes over all platforms
  readonly hours: number;
  readonly score: RecentScore;
  /** Forecasts of the week that came due; the others have no later count to compare with. */
  readonly due: number;
  /** Of the week's probabilities to finish on top; null for hashtags and unknown outcomes. */
  readonly calibration: Reliability | null;
}

export interface Scored {
  /** Newest first. */
  readonly weeks: readonly ScoredWeek[];
  /** Of all probabilities of those weeks, by platform. */
  readonly reliability: ReadonlyMap<Platform, Reliability>;
}

const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05 was a Monday. */
const MONDAY_MS = 4 * DAY_MS;
const WEEKS = 8;

const weekOf = (madeAt: number): number =>
  Math.floor((madeAt - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;

const nameOf = ({
  madeAt,
  platform,
  hours,
}: Pick<Judged, 'madeAt' | 'platform' | 'hours'>): string =>
  `${weekOf(madeAt)} ${platform} ${hours}`;

/**
 * @param due number of forecasts that came due, by week, platform and horizon; default: the judged ones
 * @param tops judged probabilities by week and platform
 */
const weeksOf = (
  of: ScoredWeek['of'],
  judged: readonly Judged[],
  due: ReadonlyMap<string, number> = new Map(),
  tops: ReadonlyMap<string, readonly JudgedTop[]> = new Map(),
): ScoredWeek[] =>
  [...Map.groupBy(judged, nameOf)].flatMap(([name, week]): ScoredWeek[] => {
    const score = scoreOf(week);
    const [first] = week;
    if (score === null || first === undefined) return [];
    const { platform, hours } = first;
    const from = weekOf(first.madeAt);
    const calibration = reliabilityOf(tops.get(`${from} ${platform}`) ?? []);
    return [{ from, of, platform, hours, score, due: due.get(name) ?? week.length, calibration }];
  });

/** Week, platform and horizon of each forecast with views that came due. */
const dueNames = ({ rows, at }: KeptOfVideo): string[] =>
  rows
    .filter(({ madeAt, hours, median }) => median !== null && madeAt + hours * HOUR_MS <= at)
    .map(nameOf);

/** A stored probability with its outcome. */
interface JudgedTop extends StatedProbability {
  readonly platform: Platform;
  readonly madeAt: number;
}

/** The probability is equal at every horizon, so one is read. */
const JUDGED_HOURS = 24;

/** Judges videos whose curve is finished at `at` (Unix ms) and whose cohort is known. */
const topJudge = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  at: number,
): ((kept: KeptOfVideo) => JudgedTop[]) => {
  const reader = new CurveReader(sqlite);
  const edges = new Map(
    PLATFORMS.flatMap((platform) =>
      [...reader.ways(platform, at)].map(([way, { since }]): [string, number] => [
        modelName(platform, videoKind(way)),
        at - finishedAfterMs(at - since),
      ]),
    ),
  );
  return ({ platform, curve, rows }) => {
    const began = curve.points[0]?.at ?? at;
    const edge = edges.get(modelName(platform, videoKind(curve.way)));
    if (edge === undefined || began > edge || !hasOutcome(curve)) return [];
    const cohorts = modelOf(models, platform, curve.way)?.model.cohorts;
    if (cohorts === undefined || !isComparable(cohorts, curve)) return [];
    const top = endedOnTop(cohorts, finishedAt(curve, at));
    return rows.flatMap(({ madeAt, hours, probability }): JudgedTop[] =>
      hours === JUDGED_HOURS ? [{ platform, madeAt, probability, top }] : [],
    );
  };
};

const ofVideos = (sqlite: Database.Database, at: number): Scored => {
  const span = { from: at - WEEKS * WEEK_MS, to: at, at };
  const { models } = readModels(sqlite, at);
  const judgeTops = topJudge(sqlite, models, at);
  const [judged, tops]: [Judged[], JudgedTop[]] = [[], []];
  const due = new Map<string, number>();
  for (const kept of keptForecasts(sqlite, span)) {
    for (const name of dueNames(kept)) due.set(name, (due.get(name) ?? 0) + 1);
    judged.push(...judgeViews(models, kept));
    tops.push(...judgeTops(kept));
  }
  const byWeek = Map.groupBy(tops, ({ madeAt, platform }) => `${weekOf(madeAt)} ${platform}`);
  const weeks = weeksOf('videos', judged, due, byWeek);
  const reliability = [...Map.groupBy(tops, ({ platform }) => platform)].flatMap(
    ([platform, judgedTops]): [Platform, Reliability][] => {
      const known = reliabilityOf(judgedTops);
      return known === null ? [] : [[platform, known]];
    },
  );
  return { weeks, reliability: new Map(reliability) };
};

const ofHashtags = (sqlite: Database.Database, at: number): ScoredWeek[] => {
  const { models } = readVolumeModels(sqlite, at);
  const judged = judgeVolumes(sqlite, models, { from: at - WEEKS * WEEK_MS, to: at, at });
  return weeksOf('hashtags', judged);
};

/** Compares the forecasts of the last eight weeks with their outcomes. */
export const scoredWeeks = (sqlite: Database.Database, now: number): Scored => {
  const at = newestObservation(sqlite, now);
  const tagsAt = newestVolume(sqlite, now);
  const videos: Scored =
    at === undefined ? { weeks: [], reliability: new Map() } : ofVideos(sqlite, at);
  const hashtags = tagsAt === undefined ? [] : ofHashtags(sqlite, tagsAt);
  const weeks = [...videos.weeks, ...hashtags].sort(
    (a, b) =>
      b.from - a.from ||
      b.of.localeCompare(a.of) ||
      a.platform.localeCompare(b.platform) ||
      a.hours - b.hours,
  );
  return { weeks, reliability: videos.reliability };
};
