import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import type { ListEntry } from '../read/content-items.ts';
import { movements } from './movements.ts';
import { knownOr, NumberColumn } from './number-column.ts';
import { type Ranking, rankingOf } from './ranking.ts';
import { dampedVelocity, scoresOf, velocityOf, viewsGained } from './score.ts';
import { type StartFrom, spanPlan } from './window-snapshots.ts';

/** Videos of a platform seen inside a window, and the order of the ranking. */
export interface VideoRankingQuery {
  readonly platform: Platform;
  readonly windowMs: number;
  readonly by: 'score' | 'gain';
}

/** Numbers of one entry: key, score, velocity. */
export const VIDEO_ROW = 3;

const columnsOf = (
  lake: Lake,
  query: VideoRankingQuery,
  asOf: number,
  wanted: StartFrom | undefined,
) => {
  const { windowMs } = query;
  const from = asOf - windowMs;
  const span = { from, to: asOf };
  const { start, most } = spanPlan(lake, span);
  const column = (): NumberColumn => new NumberColumn(most);
  const [keys, views, likes] = [column(), column(), column()];
  const [damped, velocity, gained] = [column(), column(), column()];
  for (const movement of movements(lake, query.platform, span, wanted ?? start)) {
    keys.push(movement.key);
    views.push(movement.views);
    likes.push(movement.likes);
    damped.push(dampedVelocity(movement));
    velocity.push(velocityOf(movement));
    gained.push(viewsGained(movement, from, windowMs));
  }
  const score = scoresOf({
    views: views.values(),
    likes: likes.values(),
    damped: damped.values(),
  });
  // by gain the scores of a few are asked for
  const scores = query.by === 'score' ? keys.values().map((_, index) => score(index)) : undefined;
  return {
    keys: keys.values(),
    views: views.values(),
    velocity: velocity.values(),
    gained: gained.values(),
    scoreOf: (index: number): number => scores?.[index] ?? score(index),
  };
};

type Columns = ReturnType<typeof columnsOf>;
type Compare = (a: number, b: number) => number;

/** Best score first; equal ones by views, then by key, so that pages never overlap. */
const byScore =
  ({ keys, views, scoreOf }: Columns): Compare =>
  (a, b) =>
    scoreOf(b) - scoreOf(a) ||
    knownOr(views[b], -1) - knownOr(views[a], -1) ||
    (keys[a] as number) - (keys[b] as number);

/** Most views gained first, then videos with an unknown gain by score. */
const byGain = (columns: Columns): Compare => {
  const { gained } = columns;
  const scored = byScore(columns);
  return (a, b) => knownOr(gained[b], -1) - knownOr(gained[a], -1) || scored(a, b);
};

/**
 * Videos of a platform seen in the window before `asOf` (Unix ms), by score or by views gained in
 * it. By gain, videos that gained nothing are left out, and videos with an unknown gain come last.
 * Takes 60 bytes of memory per video.
 */
export const rankVideos = (
  lake: Lake,
  query: VideoRankingQuery,
  asOf: number,
  start?: StartFrom,
): Ranking => {
  const columns = columnsOf(lake, query, asOf, start);
  const { keys, scoreOf, velocity, gained } = columns;
  const all = new Uint32Array(keys.length).map((_, entry) => entry);
  const isMoving = (entry: number): boolean => !((gained[entry] as number) <= 0); // NaN is not known
  return rankingOf(
    query.by === 'score' ? all : all.filter(isMoving),
    query.by === 'score' ? byScore(columns) : byGain(columns),
    {
      width: VIDEO_ROW,
      leading: (entry) => (query.by === 'score' ? scoreOf(entry) : knownOr(gained[entry], -1)),
      rowOf: (entry) => [keys[entry] as number, scoreOf(entry), velocity[entry] as number],
    },
  );
};

/** Rows of a ranking as entries; `before` of the list come before them. */
export const videoEntries = (rows: Float64Array, before: number): ListEntry[] =>
  Array.from({ length: rows.length / VIDEO_ROW }, (_, index) => {
    const [key, score, velocity] = rows.subarray(VIDEO_ROW * index, VIDEO_ROW * (index + 1));
    return {
      key: key as number,
      rank: before + index + 1,
      score: score as number,
      velocity: knownOr(velocity, null),
    };
  });
