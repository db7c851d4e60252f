import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { baselineGuesses, learnUsual, type UsualGrowth } from './baselines.ts';
import {
  type Calibration,
  calibrationOf,
  type Named,
  type NamingStep,
  namingOf,
  probabilityOf,
  type TreePoint,
} from './calibration.ts';
import {
  type Cohort,
  cohortsOf,
  endedOnTop,
  type Finished,
  finishedAt,
  isComparable,
} from './cohort.ts';
import { type Answered, type Corrections, correctionsOf } from './conformal.ts';
import { type Curve, lastAtOrBefore, logViews, type Point, truthAfter } from './curve.ts';
import { describePoint, POINT_FEATURES } from './features.ts';
import { ALL_FEATURES, describeHorizon, HORIZONS } from './horizons.ts';
import {
  baselineMisses,
  type Misses,
  type RecentScore,
  reasonAgainst,
  scoreOf,
  type WithheldHorizon,
} from './misses.ts';
import { learnRise, type RiseTable } from './rise.ts';
import {
  type Binned,
  binned,
  evaluateRange,
  evaluateTrees,
  type Growing,
  growRange,
  growTrees,
  type RangeTrees,
  type Trees,
} from './trees.ts';

/** Finished curves needed for a model. */
export const LEAST_FINISHED = 200;
/** Snapshots needed for an outcome. */
const LEAST_POINTS = 6;
const LEAST_SPAN_MS = DAY_MS;
/** A curve is finished after this time, or sooner in a young lake. */
const FINISHED_MS = 14 * DAY_MS;
const LEAST_FINISHED_MS = 36 * HOUR_MS;
const FINISHED_SHARE = 0.3;
/** The newest finished curves are held back to calibrate and score. */
const HELD_BACK = 0.3;
const POINTS_OF_CURVE = 12;
const MAX_ROWS = 6000;
const SIZE: Growing = { trees: 60, depth: 4, rate: 0.13, leastRows: 40 };

/** Model of one platform and way of first sight. Plain data. */
export interface WayModel extends RangeTrees {
  readonly learntUntil: number; // Unix ms
  readonly finished: number;
  /** Ways of first sight that it learned from, if several. */
  readonly parts?: readonly string[];
  readonly cohorts: readonly Cohort[];
  readonly odds: Trees;
  readonly calibration: Calibration;
  /** On the held-back curves. */
  readonly naming: readonly NamingStep[];
  readonly corrections: Corrections;
  readonly usual: UsualGrowth;
  readonly rise: RiseTable;
  /** Scores of the held-back curves by horizon. */
  readonly heldBack: Readonly<Record<string, RecentScore>>;
  /** Mean squared error of the held-back probabilities, and of their average. */
  readonly brier: { readonly stated: number; readonly average: number };
}

/** @param watchedMs history of the lake */
export const finishedAfterMs = (watchedMs: number): number =>
  Math.min(FINISHED_MS, Math.max(LEAST_FINISHED_MS, watchedMs * FINISHED_SHARE));

/** Undefined before the first snapshot. */
export const knownAt = (curve: Curve, at: number): Curve | undefined => {
  const known = lastAtOrBefore(curve.points, at) + 1;
  if (known === 0) return undefined;
  return known === curve.points.length ? curve : { ...curve, points: curve.points.slice(0, known) };
};

const firstAt = ({ points }: Curve): number => (points[0] as Point).at;

/** True if the curve has enough snapshots over enough time. */
export const hasOutcome = ({ points }: Curve): boolean =>
  points.length >= LEAST_POINTS &&
  (points.at(-1) as Point).at - (points[0] as Point).at >= LEAST_SPAN_MS;

/** Oldest first. @param since start of the history, Unix ms */
export const finishedBy = (curves: readonly Curve[], at: number, since: number): Finished[] => {
  const until = at - finishedAfterMs(at - since);
  return curves
    .filter((curve) => firstAt(curve) <= until && hasOutcome(curve))
    .sort((a, b) => firstAt(a) - firstAt(b))
    .map((curve) => finishedAt(curve, at));
};

interface Rows {
  readonly sample: Binned;
  readonly target: Float32Array;
}

/** A possible row to learn from. */
interface Candidate {
  readonly curve: Curve;
  readonly position: number;
  /** Horizon; 0: the final outcome. */
  readonly hours: number;
  readonly target: number;
}

/** An even sample of at most MAX_ROWS. */
const evenly = (candidates: readonly Candidate[]): Candidate[] => {
  const stride = Math.max(1, candidates.length / MAX_ROWS);
  return candidates
    .slice(0, MAX_ROWS)
    .map((_, i) => candidates[Math.floor(i * stride)] as Candidate);
};

const rowsOf = (
  candidates: Iterable<Candidate>,
  cohorts: readonly Cohort[],
  features: number,
): Rows => {
  const chosen = evenly([...candidates]);
  const columns = Array.from({ length: features }, () => new Float32Array(chosen.length));
  const row = new Float32Array(ALL_FEATURES);
  for (const [at, { curve, position, hours }] of chosen.entries()) {
    describePoint(curve, position, cohorts, row);
    if (hours > 0) describeHorizon(curve, { position, hours }, cohorts, row);
    for (const [feature, column] of columns.entries()) column[at] = row[feature] as number;
  }
  const target = Float32Array.from(chosen, (candidate) => candidate.target);
  return { sample: binned(chosen.length, columns), target };
};

/** At most POINTS_OF_CURVE positions, evenly spread. */
const teachingPoints = ({ points }: Curve): number[] => {
  const stride = Math.max(1, points.length / POINTS_OF_CURVE);
  return Array.from({ length: Math.min(points.length, POINTS_OF_CURVE) }, (_, i) =>
    Math.floor(i * stride),
  );
};

/** Rows about finishing on top. */
function* endings(finished: readonly Finished[], cohorts: readonly Cohort[]): Generator<Candidate> {
  for (const curves of finished) {
    if (!isComparable(cohorts, curves.curve)) continue;
    const target = endedOnTop(cohorts, curves) ? 1 : 0;
    for (const position of teachingPoints(curves.curve))
      yield { curve: curves.curve, position, hours: 0, target };
  }
}

/** Rows about growth until each horizon with a known outcome. */
function* growths(curves: readonly Curve[]): Generator<Candidate> {
  for (const curve of curves)
    for (const position of teachingPoints(curve)) {
      const now = logViews((curve.points[position] as Point).views);
      for (const hours of HORIZONS) {
        const truth = truthAfter(curve.points, position, hours);
        if (truth !== undefined) yield { curve, position, hours, target: truth - now };
      }
    }
}

type Grown = RangeTrees & Pick<WayModel, 'cohorts' | 'odds' | 'usual' | 'rise'>;

const grow = (finished: readonly Finished[], curves: readonly Curve[]): Grown => {
  const cohorts = cohortsOf(finished);
  const tops = rowsOf(endings(finished, cohorts), cohorts, POINT_FEATURES);
  const growth = rowsOf(growths(curves), cohorts, ALL_FEATURES);
  return {
    cohorts,
    odds: growTrees(tops.sample, tops.target, { kind: 'odds' }, SIZE),
    ...growRange(growth.sample, growth.target, SIZE),
    usual: learnUsual(curves),
    rise: learnRise(finished, teachingPoints),
  };
};

/** Mean squared error of probabilities and of their average outcome, each curve with one weight. */
const brierOf = (calibration: Calibration, stated: readonly TreePoint[]): WayModel['brier'] => {
  const weight = stated.reduce((sum, row) => sum + row.weight, 0);
  const rate = stated.reduce((sum, row) => sum + (row.top ? row.weight : 0), 0) / weight;
  const squares = stated.reduce(
    (sum, row) =>
      sum + row.weight * (probabilityOf(calibration, row.logit) - (row.top ? 1 : 0)) ** 2,
    0,
  );
  return { stated: squares / weight, average: rate * (1 - rate) };
};

/** Calibrates on held-back curves. */
const judge = (grown: Grown, finished: readonly Finished[], curves: readonly Curve[]) => {
  const row = new Float32Array(ALL_FEATURES);
  const stated: TreePoint[] = [];
  const named: Named[] = [];
  for (const curves of finished) {
    if (!isComparable(grown.cohorts, curves.curve)) continue;
    const top = endedOnTop(grown.cohorts, curves);
    const logits = curves.curve.points.map((_, position) => {
      describePoint(curves.curve, position, grown.cohorts, row);
      return evaluateTrees(grown.odds, row);
    });
    named.push({ top, logits });
    const positions = teachingPoints(curves.curve);
    for (const position of positions)
      stated.push({ logit: logits[position] as number, top, weight: 1 / positions.length });
  }
  const answered: Answered[] = [];
  const errors = new Map<number, Misses[]>(HORIZONS.map((hours) => [hours, []]));
  for (const curve of curves)
    for (const position of teachingPoints(curve)) {
      describePoint(curve, position, grown.cohorts, row);
      const now = curve.points[position] as Point;
      for (const hours of HORIZONS) {
        const truth = truthAfter(curve.points, position, hours);
        if (truth === undefined) continue;
        describeHorizon(curve, { position, hours }, grown.cohorts, row);
        const grew = truth - logViews(now.views);
        const range = evaluateRange(grown, row);
        answered.push({ hours, curve, now, grew, ...range });
        const guesses = baselineGuesses(grown.usual, curve, position, hours);
        const error = Math.abs(Math.max(0, range.median) - grew);
        // the interval is calibrated on these rows, so all count as inside
        errors.get(hours)?.push({ ...baselineMisses(guesses, truth), error, inside: true });
      }
    }
  const calibration = calibrationOf(stated);
  const corrections = correctionsOf(answered);
  const heldBack = Object.fromEntries(
    [...errors].flatMap(([hours, rows]): [string, RecentScore][] => {
      const score = scoreOf(rows);
      return score === null ? [] : [[String(hours), score]];
    }),
  );
  const brier = brierOf(calibration, stated);
  return { calibration, naming: namingOf(named, calibration), corrections, heldBack, brier };
};

/** Horizons at which the held-back curves or earlier forecasts say that a baseline does as well. */
export const withheldHorizons = (
  { heldBack }: WayModel,
  recent: ReadonlyMap<number, RecentScore | null>,
): WithheldHorizon[] =>
  HORIZONS.flatMap((hours): WithheldHorizon[] => {
    const reason =
      reasonAgainst(recent.get(hours) ?? null) ?? reasonAgainst(heldBack[hours] ?? null);
    return reason === null ? [] : [{ hours, reason }];
  });

/**
 * Learns from curves known at `at`, without later points. Deterministic for the order of the curves.
 * @param since start of the history, Unix ms
 * @returns undefined with fewer than LEAST_FINISHED finished curves
 */
export const learnWay = (
  curves: readonly Curve[],
  at: number,
  since: number,
): WayModel | undefined => {
  const finished = finishedBy(curves, at, since);
  if (finished.length < LEAST_FINISHED) return undefined;
  const back = Math.floor(finished.length * (1 - HELD_BACK));
  const backAt = firstAt((finished[back] as Finished).curve);
  const older = curves.filter((curve) => firstAt(curve) < backAt);
  const newer = curves.filter((curve) => firstAt(curve) >= backAt);
  const tried = grow(finished.slice(0, back), older);
  const grown = grow(finished, curves);
  const judged = judge(tried, finished.slice(back), newer);
  return { learntUntil: at, finished: finished.length, ...grown, ...judged };
};
