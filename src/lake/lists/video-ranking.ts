import type { Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import type { ListEntry } from '../read/content-items.ts';
import { movements } from './movements.ts';
import { knownOr, type Ranking, rankingOf } from './ranking.ts';
import { dampedVelocity, scoresOf, velocityOf, viewsGained } from './score.ts';
import { type StartFrom, spanPlan } from './window-snapshots.ts';

/** Videos of a platform seen in the window before `asOf` (Unix ms), and the order of the ranking. */
export interface VideoRankingQuery {
  readonly platform: Platform;
  readonly windowMs: number;
  readonly by: 'score' | 'gain';
  readonly asOf: number;
  /** Number of ranks wanted. */
  readonly depth: number;
}

/** Numbers of one entry: key, score, velocity. */
export const VIDEO_ROW = 3;

/** Reads the videos of a window into columns, NaN for unknown numbers. 56 bytes per video. */
const readColumns = (
  lake: Lake,
  { platform, windowMs, asOf }: VideoRankingQuery,
  wanted: StartFrom | undefined,
) => {
  const span = { from: asOf - windowMs, to: asOf };
  const { start, most } = spanPlan(lake, span);
  const column = (): Float64Array => new Float64Array(most); // its unused end takes no memory
  const [keys, views, likes] = [column(), column(), column()];
  const [damped, velocity, gained] = [column(), column(), column()];
  let size = 0;
  for (const movement of movements(lake, platform, span, wanted ?? start)) {
    keys[size] = movement.key;
    views[size] = movement.views ?? Number.NaN;
    likes[size] = movement.likes ?? Number.NaN;
    damped[size] = dampedVelocity(movement);
    velocity[size] = velocityOf(movement) ?? Number.NaN;
    gained[size] = viewsGained(movement, span.from, windowMs) ?? Number.NaN;
    size += 1;
  }
  const seen = {
    views: views.subarray(0, size),
    likes: likes.subarray(0, size),
    damped: damped.subarray(0, size),
  };
  return { size, keys, views, velocity, gained, scores: scoresOf(seen) };
};

/**
 * Videos by score, equal ones by views, then by key, so that pages never overlap. By gain, most views
 * gained come first, videos that gained nothing are left out, and those with an unknown gain come last.
 */
export const rankVideos = (lake: Lake, query: VideoRankingQuery, start?: StartFrom): Ranking => {
  const { size, keys, views, velocity, gained, scores } = readColumns(lake, query, start);
  const all = new Uint32Array(size).map((_, entry) => entry);
  const scoreOf = (entry: number): number => scores[entry] as number;
  const gainOf = (entry: number): number => knownOr(gained[entry], -1);
  const leading = query.by === 'score' ? scoreOf : gainOf;
  const isMoving = (entry: number): boolean => !((gained[entry] as number) <= 0); // NaN is not known
  return rankingOf(query.by === 'score' ? all : all.filter(isMoving), {
    depth: query.depth,
    width: VIDEO_ROW,
    leading,
    compare: (a, b) =>
      leading(b) - leading(a) ||
      scoreOf(b) - scoreOf(a) ||
      knownOr(views[b], -1) - knownOr(views[a], -1) ||
      (keys[a] as number) - (keys[b] as number),
    rowOf: (entry) => [keys[entry] as number, scoreOf(entry), velocity[entry] as number],
  });
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
