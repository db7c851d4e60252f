import { AGE_STEPS } from './age-grid.ts';
import { type CurveLibrary, DORMANT_SLOPE, type GridCurve, logViewsAtStep } from './curves.ts';
import {
  CLASSES,
  CREATOR_KINDS,
  firstRefreshState,
  KINDS,
  STATES,
  slopeClass,
  stateOf,
  TYPICAL_GAPS,
} from './refresh-states.ts';

/** Grid steps that a plan looks ahead: an age 1,470 times that of the last refresh. */
export const AHEAD = 40;

/** A moment of a past curve at which a refresh would have left a video in some state. */
interface CurveMoment {
  readonly weight: number;
  /** [steps ahead]: V(then)/V(later), 1 falling towards 0. */
  readonly remains: Float32Array;
  /** [steps ahead]: class of the slope from then to later. */
  readonly slopes: Uint8Array;
}

/** The moment of a curve at a grid point, whole but for a first sight, and what followed it. */
const momentAt = (curve: GridCurve, age: number): CurveMoment => {
  const moment: CurveMoment = {
    weight: curve.weight,
    remains: new Float32Array(AHEAD + 1).fill(1),
    slopes: new Uint8Array(AHEAD + 1),
  };
  const start = logViewsAtStep(curve, age);
  for (let ahead = 1; ahead <= AHEAD; ahead++) {
    const grown = Math.max(logViewsAtStep(curve, age + ahead) - start, ahead * DORMANT_SLOPE);
    moment.remains[ahead] = Math.exp(-grown);
    moment.slopes[ahead] = slopeClass(grown / ahead);
  }
  return moment;
};

/** Curves' weight that a state wants before it stops asking its neighbours. */
const ENOUGH_WEIGHT = 25;
const MOST_MOMENTS = 60;

/** States in which a curve may be met for the first time, each with the moment it happens. */
const firstRefreshes = (curve: GridCurve): [state: number, age: number][] => {
  const { from, creatorUsual, logViews } = curve;
  if (!curve.prior) {
    const age = Math.min(AGE_STEPS - 1, Math.round(from));
    return [...new Set([Number.NaN, creatorUsual])].map((usual) => [
      firstRefreshState(age, curve.logViewsAtFrom, usual),
      from,
    ]);
  }
  return [...logViews].flatMap((views, age) => [
    ...Array.from({ length: CLASSES }, (_, at): [number, number] => [stateOf(age, 0, at), age]),
    ...CREATOR_KINDS.map((usual): [number, number] => [
      firstRefreshState(age, views - creatorUsual + usual, usual),
      age,
    ]),
  ]);
};

/** Moments of every curve of a library, by the state at a refresh. */
const momentsByState = (library: CurveLibrary): CurveMoment[][] => {
  const moments: CurveMoment[][] = Array.from({ length: STATES }, () => []);
  for (const curve of library) {
    const { logViews, from, to } = curve;
    const byAge = new Map<number, CurveMoment>();
    const momentOf = (age: number): CurveMoment => {
      const moment = byAge.get(age) ?? momentAt(curve, age);
      byAge.set(age, moment);
      return moment;
    };
    // videos are first seen because they rise, so only first sights teach about first sights
    for (const [state, age] of firstRefreshes(curve)) moments[state]?.push(momentOf(age));
    for (let age = Math.ceil(from); age <= to; age++) {
      const moment = momentOf(age);
      TYPICAL_GAPS.forEach((gap, i) => {
        if (age - gap < from) return;
        const slope = ((logViews[age] ?? 0) - (logViews[age - gap] ?? 0)) / gap;
        moments[stateOf(age, i + 1, slopeClass(slope))]?.push(moment);
      });
    }
  }
  return moments;
};

/** Steps from a state to those exactly `reach` away in age or class. */
const ringOf = (reach: number): [ages: number, classes: number][] => {
  if (reach === 0) return [[0, 0]];
  const ring: [number, number][] = [];
  for (let far = -reach; far <= reach; far++) ring.push([far, -reach], [far, reach]);
  for (let far = 1 - reach; far < reach; far++) ring.push([-reach, far], [reach, far]);
  return ring;
};
const RINGS = Array.from({ length: AGE_STEPS }, (_, reach) => ringOf(reach));

/** Moments like a state's: its own first, then of ages and classes ever further away. */
const momentsLike = (
  moments: CurveMoment[][],
  age: number,
  kind: number,
  at: number,
): CurveMoment[] => {
  const like: CurveMoment[] = [];
  let weight = 0;
  for (const ring of RINGS) {
    for (const [ages, classes] of ring) {
      const [a, c] = [age + ages, at + classes];
      if (a < 0 || a >= AGE_STEPS || c < 0 || c >= CLASSES) continue;
      for (const moment of moments[stateOf(a, kind, c)] ?? []) {
        like.push(moment);
        weight += moment.weight;
      }
    }
    if (weight >= ENOUGH_WEIGHT) break;
  }
  if (like.length <= MOST_MOMENTS) return like;
  const stride = like.length / MOST_MOMENTS;
  return Array.from(
    { length: MOST_MOMENTS },
    (_, i) => like[Math.floor(i * stride)] as CurveMoment,
  );
};

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
