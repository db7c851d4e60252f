import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';
import type { GrowthCurve } from '../../base/wire/shapes.ts';

/** One snapshot of a video's view count; `at` in Unix milliseconds. */
export interface GrowthPoint {
  readonly at: number;
  readonly views: number | null;
}

interface Snapshot {
  readonly at: number;
  readonly views: number;
}

/** A zero before a first count under this is believed: it cannot fake a peak that matters. */
const SMALL_START_VIEWS = 1000;
/** A rate is taken over at least this long, and at least this share of the timeline behind it. */
const SHORTEST_SPAN_MS = HOUR_MS;
const SPAN_SHARE = 0.1;
/** A phase needs this much history. */
const FEWEST_SNAPSHOTS = 3;
const SHORTEST_HISTORY_MS = 3 * HOUR_MS;
/** Below this share of its views gained per day, a video stands still. */
const FLAT_GAIN_PER_DAY = 0.005;
/** Faster than the stretch before by this factor is accelerating. */
const ACCELERATION = 1.1;
/** Below this share of its peak pace, a video is past it. */
const NEAR_PEAK = 0.5;

/** Known counts in time order, one per instant (the higher of two), misread zeros left out. */
const knownSnapshots = (points: readonly GrowthPoint[]): Snapshot[] => {
  const byInstant = new Map<number, number>();
  for (const { at, views } of points)
    if (views !== null && Number.isSafeInteger(views) && views >= 0)
      byInstant.set(at, Math.max(views, byInstant.get(at) ?? 0));
  const snapshots = [...byInstant]
    .map(([at, views]) => ({ at, views }))
    .sort((a, b) => a.at - b.at);
  const first = snapshots.findIndex((snapshot) => snapshot.views > 0);
  const start = snapshots[first];
  if (start === undefined) return snapshots;
  return snapshots.filter(
    (snapshot, i) => snapshot.views > 0 || (i < first && start.views < SMALL_START_VIEWS),
  );
};

/** The largest set of snapshots that never goes down (patience sorting, the later of equal choices). */
const neverFalling = (snapshots: readonly Snapshot[]): Snapshot[] => {
  const tails: number[] = []; // tails[n]: index of the lowest snapshot that ends a run of n + 1
  const before: number[] = [];
  snapshots.forEach((snapshot, i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((snapshots[tails[middle] as number] as Snapshot).views <= snapshot.views)
        low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (tails[low - 1] as number);
    tails[low] = i;
  });
  const kept: Snapshot[] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] as number)
    kept.push(snapshots[i] as Snapshot);
  return kept.reverse();
};

/** Index of the latest snapshot at least one span before each snapshot; else the first snapshot. */
const spanStarts = (snapshots: readonly Snapshot[]): number[] => {
  const firstAt = snapshots[0]?.at ?? 0;
  let start = 0;
  return snapshots.map(({ at }) => {
    const spanMs = Math.max(SHORTEST_SPAN_MS, SPAN_SHARE * (at - firstAt));
    while ((snapshots[start + 1]?.at ?? Number.POSITIVE_INFINITY) <= at - spanMs) start++;
    return start;
  });
};

const perHour = (from: Snapshot, to: Snapshot): number =>
  to.at > from.at ? ((to.views - from.views) * HOUR_MS) / (to.at - from.at) : 0;

/** Views per hour at each snapshot. All snapshots of the first hour share that hour's pace. */
const pacesOf = (snapshots: readonly Snapshot[], starts: readonly number[]): number[] => {
  const first = snapshots[0];
  if (first === undefined) return [];
  const hourIn = snapshots.findIndex((snapshot) => snapshot.at - first.at >= SHORTEST_SPAN_MS);
  const opening = hourIn < 0 ? snapshots.length - 1 : hourIn;
  return snapshots.map((snapshot, i) =>
    i <= opening
      ? perHour(first, snapshots[opening] as Snapshot)
      : perHour(snapshots[starts[i] as number] as Snapshot, snapshot),
  );
};

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** Hours in which the views would double at the pace of the last span; null when that is over a year. */
const doublingHoursOf = (from: Snapshot, to: Snapshot): number | null => {
  if (from.views <= 0 || to.views <= from.views) return null;
  const hours = (((to.at - from.at) / HOUR_MS) * Math.LN2) / Math.log(to.views / from.views);
  return hours <= 366 * 24 ? hundredths(hours) : null;
};

const phaseOf = (
  snapshots: readonly Snapshot[],
  starts: readonly number[],
  paces: readonly number[],
  peak: number,
): GrowthCurve['phase'] => {
  const first = snapshots[0];
  const last = snapshots.at(-1);
  if (snapshots.length < FEWEST_SNAPSHOTS || first === undefined || last === undefined)
    return 'unknown';
  if (last.at - first.at < SHORTEST_HISTORY_MS) return 'unknown';
  const pace = paces.at(-1) ?? 0;
  if ((pace * DAY_MS) / HOUR_MS <= last.views * FLAT_GAIN_PER_DAY) return 'flat';
  if (pace < NEAR_PEAK * peak) return 'fading';
  const before = paces[starts.at(-1) ?? 0] ?? 0;
  return pace > ACCELERATION * before ? 'rising' : 'peaking';
};

/**
 * The growth curve of one video, from snapshots of its view count in any order.
 *
 * - **Which snapshots count.** Unknown counts are left out. So is a 0 once any snapshot is above 0 (some
 *   sources read 0 for a snapshot and the true value again at the next), except before a first count
 *   under 1,000. Of the rest the curve follows the largest set that never goes down: corrections,
 *   dips and single misread peaks drop out, without moving a snapshot that fits. The timeline keeps all.
 * - **viewsPerHour** of a point: views gained since the latest snapshot at least one span before it,
 *   per hour. The span is an hour, or a tenth of the time since the first snapshot where that is
 *   longer; so a count that stands and steps, or a burst of snapshots within a minute, makes no spike,
 *   and a gap gives its mean. The snapshots of the first hour share that hour's pace.
 * - **peak**: the highest viewsPerHour and the instant at which its span ends; null when nothing grew.
 * - **doublingHours**: hours to double at the relative growth of the last span (ln 2 over it);
 *   null when it did not grow or would take over a year.
 * - **phase**: `unknown` under 3 counted snapshots or 3 hours; `flat` when the last span gained at most
 *   0.5 % of the views a day; `fading` when its pace is under half the peak; else `rising` when it
 *   is over 1.1 times the pace one span earlier, `peaking` when not.
 */
export const growthCurveOf = (points: readonly GrowthPoint[]): GrowthCurve => {
  const snapshots = neverFalling(knownSnapshots(points));
  const starts = spanStarts(snapshots);
  const paces = pacesOf(snapshots, starts);
  const peak = paces.reduce((most, pace) => Math.max(most, pace), 0);
  const peakAt = snapshots[paces.indexOf(peak)]?.at;
  const last = snapshots.at(-1);
  const lastStart = snapshots[starts.at(-1) ?? 0];
  return {
    points: snapshots.map(({ at, views }, i) => ({
      at: isoOf(at),
      views,
      viewsPerHour: hundredths(paces[i] as number),
    })),
    peak:
      peak > 0 && peakAt !== undefined
        ? { at: isoOf(peakAt), viewsPerHour: hundredths(peak) }
        : null,
    doublingHours:
      last === undefined || lastStart === undefined ? null : doublingHoursOf(lastStart, last),
    phase: phaseOf(snapshots, starts, paces, peak),
  };
};
