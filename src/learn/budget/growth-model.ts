import { AGE_STEPS } from './age-grid.ts';
import type { CurveLibrary } from './curves.ts';
import { AHEAD, type CurveMoment, momentsByState, momentsLike } from './moments.ts';
import { CLASSES, KINDS, STATES, stateOf } from './refresh-states.ts';

/** Expected growth after a refresh, by state. */
export interface GrowthModel {
  /** [state][steps ahead]: expected V(refresh)/V(then), 1 falling towards 0; the error is 1 - that. */
  readonly remains: Float32Array;
  /** [state][steps ahead][slope class]: where a refresh so many steps later would find the video. */
  readonly found: Float32Array;
}

/** Adds what followed the moments like a state to its rows, each by its share of their weight. */
const addMoments = (model: GrowthModel, state: number, like: readonly CurveMoment[]): void => {
  const weight = like.reduce((sum, moment) => sum + moment.weight, 0);
  const { remains, found } = model;
  for (const moment of like) {
    const share = moment.weight / weight;
    for (let ahead = 0; ahead <= AHEAD; ahead++) {
      const row = state * (AHEAD + 1) + ahead;
      const cell = row * CLASSES + (moment.slopes[ahead] ?? 0);
      remains[row] = (remains[row] ?? 0) + share * (moment.remains[ahead] ?? 1);
      found[cell] = (found[cell] ?? 0) + share;
    }
  }
};

/**
 * Turns a library into expectations for every state of a video after a refresh: past curves in the
 * same state (age, gap between refreshes, slope) show the future. Unseen states borrow from their
 * neighbours in age and slope. The error of a count last seen at a and read at t is 1 - V(a)/V(t).
 */
export const growthModel = (library: CurveLibrary): GrowthModel => {
  const moments = momentsByState(library);
  const model: GrowthModel = {
    remains: new Float32Array(STATES * (AHEAD + 1)),
    found: new Float32Array(STATES * (AHEAD + 1) * CLASSES),
  };
  for (let age = 0; age < AGE_STEPS; age++)
    for (let kind = 0; kind < KINDS; kind++)
      for (let at = 0; at < CLASSES; at++)
        addMoments(model, stateOf(age, kind, at), momentsLike(moments, age, kind, at));
  return model;
};
