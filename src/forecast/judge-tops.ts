import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { endedOnTop, finishedAt, isComparable } from './cohort.ts';
import { HORIZONS } from './horizons.ts';
import {
  type JudgedSpan,
  judgeByVideo,
  OF_A_VIDEO,
  type VideoForecast,
  videoForecasts,
} from './kept-forecasts.ts';
import { CurveReader, kindOf } from './lake-curves.ts';
import { finishedAfterMs, hasOutcome } from './learn.ts';
import { type ModelRow, modelName } from './model-rows.ts';
import type { Told } from './reliability.ts';

/** A kept probability to end on top, held against what came. */
export interface JudgedTop extends Told {
  readonly platform: Platform;
  readonly madeAt: number;
}

interface TopRow extends VideoForecast {
  readonly probability: number;
}

// One row for each snapshot: the probability is the same at every horizon.
const QUERY = {
  sql: videoForecasts('f.top_probability as probability', 'f.horizon_hours = 24'),
  shape: { ...OF_A_VIDEO, probability: 'number' },
  rowsEach: HORIZONS.length,
} as const;

/** Until when a platform's videos must have been first seen to be finished at `at`, read once each. */
const finishedUntil = (sqlite: Database.Database, at: number): ((of: Platform) => number) => {
  const reader = new CurveReader(sqlite);
  const edges = new Map<Platform, number>();
  return (platform) => {
    const known = edges.get(platform);
    if (known !== undefined) return known;
    const edge = at - finishedAfterMs(at - (reader.watchedSince(platform) ?? at));
    edges.set(platform, edge);
    return edge;
  };
};

/**
 * Holds probabilities told between two instants against what came of the videos whose curves are
 * finished at `span.at`; the others are left out, and so are those whose cohort is not known any more.
 */
export const judgeTops = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  span: JudgedSpan,
): JudgedTop[] => {
  const { at } = span;
  const edgeOf = finishedUntil(sqlite, at);
  return judgeByVideo<TopRow, JudgedTop>(sqlite, QUERY, span, (curve, its, platform) => {
    const isFinished = (curve.points[0]?.at ?? at) <= edgeOf(platform) && hasOutcome(curve);
    if (!isFinished) return [];
    const cohorts = models.get(modelName(platform, kindOf(curve.way)))?.model.cohorts;
    if (cohorts === undefined || !isComparable(cohorts, curve)) return [];
    const top = endedOnTop(cohorts, finishedAt(curve, at));
    return its.map(({ madeAt, probability }) => ({ platform, madeAt, probability, top }));
  });
};
