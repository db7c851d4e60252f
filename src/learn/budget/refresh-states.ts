import { AGE_STEPS } from './age-grid.ts';

/**
 * The knowledge about a video right after a refresh, as one of a few states. Videos in one state are planned alike.
 * A state is an age, a kind of knowledge, and a class within it:
 * kind 0 (one refresh, creator unknown): class of the level;
 * kinds 1 to 4 (two refreshes, by how far apart): class of the slope between them;
 * kinds 5 to 7 (one refresh, creator known, by the creator's usual level): class of the level against
 * what is usual for the creator. A video far below has most of its growth before it.
 */
export const KINDS = 8;
export const CLASSES = 10;
export const STATES = AGE_STEPS * KINDS * CLASSES;

/** Gaps in grid steps that stand for the kinds 1 to 4. */
export const TYPICAL_GAPS = [2, 4, 8, 14] as const;
const GAP_ENDS = [2.5, 5.5, 10.5];

/** Growth of log views per grid step between the classes of slope. */
const SLOPE_ENDS = [0.001, 0.003, 0.008, 0.02, 0.04, 0.07, 0.11, 0.16, 0.25];
/** Log views between the classes of level, each 4.5 times the one before. */
const LEVEL_ENDS = [1.5, 3, 4.5, 6, 7.5, 9, 10.5, 12, 13.5];
/** Log of views over the creator's usual views between the classes of standing. */
const STANDING_ENDS = [-4, -3, -2.2, -1.6, -1.1, -0.6, 0, 0.7, 1.5];
/** Log views between small, middling and large creators. */
const CREATOR_ENDS = [7, 10];
/** A usual level of each of those three. */
export const CREATOR_KINDS = [5, 8.5, 12] as const;

const classIn = (ends: readonly number[], value: number): number => {
  let at = 0;
  for (const end of ends) if (value > end) at++;
  return at;
};

/** The kind of knowledge two refreshes so many grid steps apart give, 1 to 4. */
export const gapKind = (steps: number): number => 1 + classIn(GAP_ENDS, steps);

/** The class of a slope (log views per grid step), 0 to 9. */
export const slopeClass = (slope: number): number => classIn(SLOPE_ENDS, slope);

export const stateOf = (age: number, kind: number, at: number): number =>
  (age * KINDS + kind) * CLASSES + at;

/** The state after a first refresh: log views, and what is usual for the creator (NaN: unknown). */
export const firstRefreshState = (age: number, logViews: number, creatorUsual: number): number =>
  Number.isNaN(creatorUsual)
    ? stateOf(age, 0, classIn(LEVEL_ENDS, logViews))
    : stateOf(
        age,
        5 + classIn(CREATOR_ENDS, creatorUsual),
        classIn(STANDING_ENDS, logViews - creatorUsual),
      );
