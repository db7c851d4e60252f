import type Database from 'better-sqlite3';
import type { Platform } from '../../schema/vocabulary.ts';
import { prepare, present } from '../lake/prepare.ts';
import { endedOnTop, finishedAt, isComparable } from './cohort.ts';
import { CurveReader, kindOf } from './lake-curves.ts';
import { finishedAfterMs, hasOutcome } from './learn.ts';
import { type ModelRow, modelName } from './model-rows.ts';
import type { Told } from './reliability.ts';

/** A kept probability to end on top, held against what came. */
export interface JudgedTop extends Told {
  readonly platform: Platform;
  readonly madeAt: number;
}

interface Row {
  videoKey: number;
  platform: Platform;
  createdAt: number | null;
  madeAt: number;
  probability: number;
}

const MOST_ROWS = 20_000;

// One row for each snapshot: the probability is the same at every horizon.
const ROWS = `
  select f.video_key as videoKey, v.platform, v.created_at as createdAt, f.made_at as madeAt,
    f.top_probability as probability
  from forecast f indexed by forecast_made_at cross join video v on v.key = f.video_key
  where f.made_at > @from and f.made_at <= @to and f.horizon_hours = 24 and f.video_key % @every = 0
  order by f.video_key, f.made_at`;

/**
 * Holds probabilities told between two instants against what came of the videos whose curves are
 * finished at `at`; the others are left out, and so are those whose cohort is not known any more.
 */
export const judgeTops = (
  sqlite: Database.Database,
  models: ReadonlyMap<string, ModelRow>,
  { from, to, at }: { from: number; to: number; at: number },
): JudgedTop[] => {
  const reader = new CurveReader(sqlite);
  const count = present(
    prepare(
      sqlite,
      'select count(*) from forecast where made_at > ? and made_at <= ?',
      'number',
    ).get(from, to),
  );
  const every = Math.max(1, Math.ceil(count / 4 / MOST_ROWS));
  const rows = prepare<Row>(sqlite, ROWS, {
    videoKey: 'number',
    platform: 'text',
    createdAt: 'number?',
    madeAt: 'number',
    probability: 'number',
  }).all({ from, to, every });
  const edges = new Map<Platform, number>();
  const edgeOf = (platform: Platform): number => {
    const known = edges.get(platform);
    if (known !== undefined) return known;
    const edge = at - finishedAfterMs(at - (reader.watchedSince(platform) ?? at));
    edges.set(platform, edge);
    return edge;
  };
  return [...Map.groupBy(rows, ({ videoKey }) => videoKey).values()].flatMap((its) => {
    const { videoKey, createdAt, platform } = its[0] as Row;
    const curve = reader.curve(videoKey, createdAt, at);
    const isFinished =
      curve !== undefined && (curve.points[0]?.at ?? at) <= edgeOf(platform) && hasOutcome(curve);
    if (!isFinished) return [];
    const cohorts = models.get(modelName(platform, kindOf(curve.way)))?.model.cohorts;
    if (cohorts === undefined || !isComparable(cohorts, curve)) return [];
    const top = endedOnTop(cohorts, finishedAt(curve, at));
    return its.map(({ madeAt, probability }) => ({ platform, madeAt, probability, top }));
  });
};
