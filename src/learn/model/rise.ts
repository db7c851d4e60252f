import { HOUR_MS } from '../../base/durations.ts';
import type { Finished } from './cohort.ts';
import { ageClass, type Curve, type Point } from './curve.ts';

/** Hours until the end of the rise that 8 in 10 videos of a state did not exceed, by state. */
export type RiseTable = Readonly<Record<string, number>>;

/** Shorter intervals between snapshots give no pace. */
const LEAST_INTERVAL_MS = HOUR_MS / 2;
/** A state with fewer points says nothing. */
const LEAST_ROWS = 100;
const WITHIN = 0.8;
const SINCE_EDGES = [6, 12, 24, 48, 96];

interface Pace {
  readonly from: number; // Unix ms
  readonly to: number; // Unix ms
  readonly perHour: number;
}

const pacesOf = (points: readonly Point[]): Pace[] => {
  const paces: Pace[] = [];
  let before = points[0] as Point;
  for (const point of points.slice(1)) {
    if (point.at - before.at < LEAST_INTERVAL_MS) continue;
    const perHour = (Math.max(0, point.views - before.views) * HOUR_MS) / (point.at - before.at);
    paces.push({ from: before.at, to: point.at, perHour });
    before = point;
  }
  return paces;
};

const peakOf = (paces: readonly Pace[]): number =>
  paces.reduce(
    (best, pace, index) => (pace.perHour > (paces[best] as Pace).perHour ? index : best),
    0,
  );

/**
 * End of a video's rise, Unix ms: the start of the first interval after the peak with at most half the
 * peak's pace. The last snapshot if the pace never halved; undefined without a pace.
 */
export const riseEnd = ({ points }: Pick<Curve, 'points'>): number | undefined => {
  const paces = pacesOf(points);
  const peak = paces[peakOf(paces)];
  if (peak === undefined || peak.perHour === 0) return undefined;
  const half = paces.find(({ from, perHour }) => from >= peak.to && perHour <= peak.perHour / 2);
  return half?.from ?? (points.at(-1) as Point).at;
};

/** Class by age at first sight, hours since then, and newest pace against the highest so far. */
const stateOf = (curve: Curve, position: number): string | undefined => {
  const paces = pacesOf(curve.points.slice(0, position + 1));
  const [newest, highest] = [paces.at(-1), paces[peakOf(paces)]];
  if (newest === undefined || highest === undefined || highest.perHour === 0) return undefined;
  const share = newest.perHour / highest.perHour;
  const hours = (newest.to - (curve.points[0] as Point).at) / HOUR_MS;
  const since = SINCE_EDGES.filter((edge) => hours >= edge).length;
  return `${ageClass(curve)} ${since} ${share >= 1 ? 'peak' : share > 0.5 ? 'high' : 'low'}`;
};

/** @param positionsOf positions of a curve to learn from */
export const learnRise = (
  finished: readonly Finished[],
  positionsOf: (curve: Curve) => readonly number[],
): RiseTable => {
  const hours = new Map<string, number[]>();
  for (const { curve } of finished) {
    const end = riseEnd(curve);
    if (end === undefined) continue;
    for (const position of positionsOf(curve)) {
      const state = stateOf(curve, position);
      if (state === undefined) continue;
      const left = (end - (curve.points[position] as Point).at) / HOUR_MS;
      const rows = hours.get(state) ?? [];
      hours.set(state, rows);
      rows.push(Math.max(0, left));
    }
  }
  return Object.fromEntries(
    [...hours].flatMap(([state, left]): [string, number][] => {
      const sorted = left.toSorted((a, b) => a - b);
      const within = sorted[Math.ceil(WITHIN * (sorted.length + 1)) - 1];
      return sorted.length < LEAST_ROWS || within === undefined ? [] : [[state, within]];
    }),
  );
};

/** Instant by which 8 in 10 similar videos stopped rising, Unix ms; null: unknown. */
export const likelyOverBy = (rise: RiseTable, curve: Curve, position: number): number | null => {
  const state = stateOf(curve, position);
  const hours = state === undefined ? undefined : rise[state];
  return hours === undefined
    ? null
    : Math.round((curve.points[position] as Point).at + hours * HOUR_MS);
};
