import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import type { Lake } from '../open.ts';
import { BasisPacker, listBasisAt, type PackedBasis, readListBasis } from './list-basis.ts';
import { movementsOf, movementsOfAll } from './movements.ts';
import { knownOr } from './number-column.ts';
import type { Movement } from './score.ts';
import { snapshotsWithin, spanPlan, videosSeen } from './window-snapshots.ts';

// The movements of a platform's videos in a window, read ahead: they stay what they are while the window
// moves on, but those of videos of which a snapshot left it.

/** Platform and window of movements. */
export interface VideoWindow {
  readonly platform: Platform;
  readonly windowMs: number;
}

/** Columns of a kept basis, in their order. Lakes hold them: other columns want another name (`nameOf`). */
const FIELDS = ['key', 'views', 'viewsAt', 'baseViews', 'baseAt', 'likes', 'createdAt'] as const;

const nameOf = ({ platform, windowMs }: VideoWindow): string => `videos ${platform} ${windowMs}`;

/** Movements of the videos of each platform in the window before `asOf`. */
export const videoBases = (lake: Lake, windowMs: number, asOf: number): PackedBasis[] => {
  const span = { from: asOf - windowMs, to: asOf };
  const packers = new Map(
    PLATFORMS.map((platform) => [
      platform,
      new BasisPacker(nameOf({ platform, windowMs }), asOf, FIELDS.length),
    ]),
  );
  for (const [platform, movement] of movementsOfAll(lake, span, spanPlan(lake, span).start))
    packers.get(platform)?.add(FIELDS.map((field) => movement[field]));
  return [...packers.values()].flatMap((packer) => packer.pieces());
};

type Columns = readonly Float64Array[];

/** The movements of a piece, but those of some videos. */
function* movementsIn(columns: Columns, without: ReadonlySet<number>): Generator<Movement> {
  const [keys, views, viewsAt, baseViews, baseAt, likes, createdAt] = columns;
  for (let index = 0; index < (keys?.length ?? 0); index++) {
    const key = keys?.[index] as number;
    if (without.has(key)) continue;
    yield {
      key,
      views: knownOr(views?.[index], null),
      viewsAt: knownOr(viewsAt?.[index], null),
      baseViews: knownOr(baseViews?.[index], null),
      baseAt: knownOr(baseAt?.[index], null),
      likes: knownOr(likes?.[index], null),
      createdAt: knownOr(createdAt?.[index], null),
    };
  }
}

/** Movements by a kept basis, and how many there are at most. */
export interface KnownMovements {
  readonly most: number;
  readonly movements: Iterable<Movement>;
}

/**
 * Movements of the window before `asOf` from stored ones; videos with a snapshot that left the
 * window are read again. Undefined if none are valid, they are of a later instant, or reading the
 * window costs less.
 */
export const knownMovements = (
  lake: Lake,
  wanted: VideoWindow,
  asOf: number,
): KnownMovements | undefined => {
  const { platform, windowMs } = wanted;
  const keptAt = listBasisAt(lake, nameOf(wanted), asOf);
  if (keptAt === undefined) return undefined;
  const left = { from: keptAt - windowMs, to: asOf - windowMs };
  const basis = readListBasis(lake, nameOf(wanted), FIELDS.length);
  const most = basis?.rows ?? 0;
  if (basis === undefined || snapshotsWithin(lake, left, most + 1) > most) return undefined;
  const changed = videosSeen(lake, left);
  const isChanged = new Set(changed);
  const all = function* (): Generator<Movement> {
    for (const columns of basis.pieces()) yield* movementsIn(columns, isChanged);
    yield* movementsOf(lake, platform, { from: asOf - windowMs, to: asOf }, changed);
  };
  return { most, movements: all() };
};
