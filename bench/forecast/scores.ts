import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { type Reliability, reliabilityOf } from '../../src/learn/forecast/reliability.ts';
import { ageClassNow } from '../../src/learn/model/conformal.ts';
import { logViews } from '../../src/learn/model/curve.ts';
import type { Curve } from './real-curves.ts';
import type { Asked } from './replay.ts';

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const BASELINES = {
  'count stays': 'countStays',
  'pace goes on': 'paceGoesOn',
  'cohort median': 'cohortMedian',
} as const;

/** Reliability of probabilities: ten bins, their error, and the Brier score. */
export const calibration = (asked: readonly Asked[]): Reliability =>
  reliabilityOf(asked.map(({ probability, curve }) => ({ probability, top: curve.top }))) ?? {
    judged: 0,
    error: Number.NaN,
    brier: Number.NaN,
    bins: [],
  };

/** Share of pairs of a video that ends on top and another in which the first had the higher probability. */
export const rankingOf = (asked: readonly Asked[]): number => {
  const sorted = asked.toSorted((a, b) => a.probability - b.probability);
  let [ranks, tops] = [0, 0];
  for (const [index, { curve }] of sorted.entries()) {
    if (!curve.top) continue;
    ranks += index + 1;
    tops += 1;
  }
  return (ranks - (tops * (tops + 1)) / 2) / (tops * (asked.length - tops));
};

/** Result of one way of naming videos on the curves that it was asked about. */
export interface Naming {
  readonly named: number;
  readonly precision: number;
  readonly recall: number;
  /** Recall of those named before they had the growth of the top tenth. */
  readonly recallBefore: number;
  readonly f1: number;
  /** Of the rightly named: share named at or before the peak, and median hours before it. */
  readonly inTime: number;
  readonly leadHours: number;
}

/** Scores instants of naming, by curve. */
export const naming = (
  curves: readonly Curve[],
  at: (curve: Curve) => number | undefined,
): Naming => {
  const named = curves.flatMap((curve) => {
    const its = at(curve);
    return its === undefined ? [] : [{ curve, at: its, lead: (curve.peakAt - its) / HOUR_MS }];
  });
  const right = named.filter(({ curve }) => curve.top);
  const precision = right.length / Math.max(1, named.length);
  const tops = Math.max(1, curves.filter(({ top }) => top).length);
  const recall = right.length / tops;
  const before = right.filter(({ curve, at: namedAt }) => namedAt < (curve.crossedAt ?? 0));
  return {
    named: named.length,
    precision,
    recall,
    recallBefore: before.length / tops,
    f1: (2 * precision * recall) / Math.max(1e-9, precision + recall),
    inTime: right.filter(({ lead }) => lead >= 0).length / Math.max(1, right.length),
    leadHours: middle(right.map(({ lead }) => lead)),
  };
};

/** Names each curve at its first snapshot with at least this probability. */
export const namedAt = (
  asked: readonly Asked[],
): ((least: number) => (curve: Curve) => number | undefined) => {
  const byCurve = Map.groupBy(asked, ({ curve }) => curve);
  return (least) => (curve) =>
    byCurve.get(curve)?.find(({ probability }) => probability >= least)?.at;
};

const MAX_GAP_MS = 36 * HOUR_MS;

/**
 * Names each curve as `trend.spike` does: over the threshold that the model gave, never at the first
 * snapshot or after a gap, and once it was under it or while it is new (src/alerts/events/forecast-spike.ts).
 */
export const namedBySpike = (asked: readonly Asked[]): ((curve: Curve) => number | undefined) => {
  const byCurve = Map.groupBy(asked, ({ curve }) => curve);
  const isOver = ({ probability, threshold }: Asked): boolean =>
    threshold !== undefined && probability >= threshold;
  return (curve) =>
    byCurve.get(curve)?.find((its, index, all) => {
      const [first, before] = [curve.snapshots[0]?.at ?? 0, curve.snapshots[its.position - 1]?.at];
      const earlier = all[index - 1];
      const isGap = before === undefined || its.at - before > MAX_GAP_MS;
      const isNew = its.at - first <= MAX_GAP_MS;
      return isOver(its) && !isGap && (isNew || (earlier !== undefined && !isOver(earlier)));
    })?.at;
};

/** The lowest threshold with at least this precision, and what it does; undefined: none has it. */
export const atPrecision = (
  asked: readonly Asked[],
  curves: readonly Curve[],
  precision: number,
) => {
  const at = namedAt(asked);
  for (let least = 0.02; least < 0.995; least += 0.005) {
    const score = naming(curves, at(least));
    if (score.named >= 5 && score.precision >= precision) return { least, ...score };
  }
  return undefined;
};

const pinball = (share: number, stated: number, came: number): number =>
  came >= stated ? share * (came - stated) : (1 - share) * (stated - came);

/** Errors and intervals of one horizon. */
export const views = (asked: readonly Asked[], hours: number) => {
  const rows = asked.flatMap(({ ahead }) => ahead.filter((its) => its.hours === hours));
  const error = middle(rows.map(({ median, truth }) => Math.abs(logViews(median) - truth)));
  const baselines = Object.entries(BASELINES).map(([name, key]) => ({
    name,
    error: middle(rows.map(({ baselines, truth }) => Math.abs((baselines[key] ?? 0) - truth))),
  }));
  const best = baselines.reduce((a, b) => (b.error < a.error ? b : a));
  return {
    rows: rows.length,
    withheld: rows.filter(({ isWithheld }) => isWithheld).length,
    error,
    baselines,
    best,
    ratio: error / best.error,
    coverage: coverage(rows),
    width: middle(rows.map(({ low, high }) => logViews(high) - logViews(low))),
    pinball: mean(
      rows.map(
        ({ low, median, high, truth }) =>
          (pinball(0.1, logViews(low), truth) +
            pinball(0.5, logViews(median), truth) +
            pinball(0.9, logViews(high), truth)) /
          3,
      ),
    ),
  };
};

type Row = Asked['ahead'][number];

const isInside = ({ low, high, truth }: Row): boolean =>
  truth >= logViews(low) - 1e-6 && truth <= logViews(high) + 1e-6;

export const coverage = (rows: readonly Row[]): number =>
  rows.filter(isInside).length / rows.length;

/** Standard error of a coverage where the questions of one group are alike. */
const coverageError = (grouped: Iterable<readonly { readonly row: Row }[]>): number => {
  const groups = Array.from(grouped, (its) => its.map(({ row }) => row));
  const all = groups.flat();
  const mean = coverage(all);
  const squares = groups.reduce(
    (sum, rows) => sum + (rows.filter(isInside).length - mean * rows.length) ** 2,
    0,
  );
  return Math.sqrt((squares * groups.length) / Math.max(1, groups.length - 1)) / all.length;
};

const AGES = ['under 1 day', '1 to 3 days', '3 to 7 days', 'older'];
const SIZES = ['under 10,000 views', 'under 100,000 views', 'more views'];

const sizeClass = (views: number): number =>
  [10_000, 100_000].filter((edge) => views >= edge).length;

interface ClassCoverage {
  readonly name: string;
  readonly rows: number;
  readonly curves: number;
  readonly coverage: number;
  /** The larger one of those by curves and by days, whose questions are alike. */
  readonly standardError: number;
  /** By source, horizon, age and first sight. */
  readonly isFinest: boolean;
}

/**
 * Coverage of the shown forecasts by platform, source, age and size class, and by source, horizon,
 * age and first sight.
 */
export const coverageByClass = (asked: readonly Asked[]): ClassCoverage[] => {
  const rows = asked.flatMap(({ curve, position, ahead }) => {
    const now = {
      at: curve.snapshots[position]?.at ?? 0,
      views: curve.snapshots[position]?.views ?? 0,
    };
    const past = {
      createdAt: curve.createdAt,
      points: [{ at: curve.snapshots[0]?.at ?? 0, views: 0 }],
    };
    const classes = [
      `platform ${curve.platform}`,
      `source ${curve.source}`,
      `age ${AGES[ageClassNow(past, now)]}`,
      `size ${SIZES[sizeClass(now.views)]}`,
    ];
    const first = position === 0 ? 'first sight' : 'later';
    return ahead
      .filter(({ isWithheld }) => !isWithheld)
      .flatMap((row) =>
        [
          ...classes,
          `+${row.hours} h`,
          `${curve.source} +${row.hours} h ${AGES[ageClassNow(past, now)]}, ${first}`,
        ].map((name) => ({ name, row, curve, day: Math.floor(now.at / DAY_MS) })),
      );
  });
  return [...Map.groupBy(rows, ({ name }) => name)]
    .map(([name, its]) => ({
      name,
      rows: its.length,
      curves: new Set(its.map(({ curve }) => curve)).size,
      coverage: coverage(its.map(({ row }) => row)),
      standardError: Math.max(
        coverageError(Map.groupBy(its, ({ curve }) => curve).values()),
        coverageError(Map.groupBy(its, ({ day }) => day).values()),
      ),
      isFinest: name.includes(', '),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};
