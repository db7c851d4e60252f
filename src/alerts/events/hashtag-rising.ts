import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { episodes, type Finding, toThousandths, type Window } from './event.ts';
import type { ViewsEvidence, VolumeEvidence } from './evidence.ts';
import type { HashtagThresholds } from './thresholds.ts';
import { firstOfEach, median } from './timeline.ts';

const EVERY_MS = 6 * HOUR_MS;
const PAST_MS = 28 * DAY_MS;
const PAST_SPAN_MS = 5 * DAY_MS;
const MIN_PAST_SNAPSHOTS = 5;
/** Snapshots this recent are the rise itself, not the past. */
const RECENT_MS = 2 * DAY_MS;
const MAX_GAP_MS = 4 * DAY_MS;
const QUIET_MS = 14 * DAY_MS;
const ROUNDING_STEPS = 3;

/** Read before a span, with an extra day so that thinning starts outside of it. */
export const HASHTAG_LOOKBACK_MS = PAST_MS + QUIET_MS + DAY_MS;

/** One snapshot of a tag: `volume` counts videos inside a window, `views` is the total of all time. */
export interface TagSnapshot {
  readonly at: number; // Unix ms
  readonly volume: number | null;
  readonly views: number | null;
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** The unit that numbers move in: what all of them are multiples of, a power of ten. */
const roundingStep = (snapshots: readonly Point[]): number => {
  let step = 1;
  while (snapshots.every(({ value }) => value % (step * 10) === 0)) step *= 10;
  return step;
};

const points = (snapshots: readonly TagSnapshot[], measure: 'volume' | 'views'): Point[] => {
  const known = snapshots.flatMap(({ at, [measure]: value }) =>
    value === null || value <= 0 ? [] : [{ at, value }],
  );
  return firstOfEach(known, EVERY_MS);
};

/** The snapshots of the past weeks that `end` may be held against; undefined when they are too few. */
const pastOf = (all: readonly Point[], index: number): Point[] | undefined => {
  const { at } = all[index] as Point;
  const before = all[index - 1];
  const past = all
    .slice(0, index)
    .filter((point) => point.at >= at - PAST_MS && point.at <= at - RECENT_MS);
  const spanMs = (past.at(-1)?.at ?? 0) - (past[0]?.at ?? 0);
  const enough = past.length >= MIN_PAST_SNAPSHOTS && spanMs >= PAST_SPAN_MS;
  return enough && before !== undefined && at - before.at <= MAX_GAP_MS ? past : undefined;
};

const levelRise = (
  end: Point,
  past: readonly Point[],
  limits: HashtagThresholds,
): Finding | undefined => {
  const values = past.map(({ value }) => value);
  const usual = median(values) as number;
  const ratio = (end.value + limits.videoDamping) / (usual + limits.videoDamping);
  const beyondRounding = end.value - usual >= ROUNDING_STEPS * roundingStep([end, ...past]);
  if (ratio < limits.minVolumeRatio || !beyondRounding || end.value <= Math.max(...values))
    return undefined;
  return {
    window: { from: (past[0] as Point).at, to: end.at },
    evidence: {
      measure: 'volume',
      volume: end.value,
      usual,
      ratio: toThousandths(ratio),
      snapshots: past.length + 1,
    } satisfies VolumeEvidence,
  };
};

const totalRise = (
  end: Point,
  past: readonly Point[],
  limits: HashtagThresholds,
): Finding | undefined => {
  const first = past[0] as Point;
  const last = past.at(-1) as Point;
  const gain = end.value - last.value;
  const perDay = gain / ((end.at - last.at) / DAY_MS);
  const usualPerDay = Math.max(0, last.value - first.value) / ((last.at - first.at) / DAY_MS);
  const ratio = (perDay + limits.viewDamping) / (usualPerDay + limits.viewDamping);
  const beyondRounding = gain >= ROUNDING_STEPS * roundingStep([end, ...past]);
  if (ratio < limits.minPaceRatio || !beyondRounding) return undefined;
  return {
    window: { from: first.at, to: end.at },
    evidence: {
      measure: 'views',
      views: end.value,
      gain,
      viewsPerDay: toThousandths(perDay),
      usualPerDay: toThousandths(usualPerDay),
      ratio: toThousandths(ratio),
      snapshots: past.length + 1,
    } satisfies ViewsEvidence,
  };
};

/**
 * `hashtag.rising`: a tag's volume rises against its own past weeks.
 *
 * Over snapshots at most one per 6 h, held against those of 2 to 28 days before (at least 5 of them
 * over at least 5 days, and none missing for more than the last 4 days):
 * - with volumes (videos inside a window): ratio = (volume + d) / (median of the past + d), and the
 *   volume is above every one of the past;
 * - with totals of views alone: ratio = (views a day since 2 days ago + d) / (views a day before + d).
 *
 * d damps tiny bases. A rise must also be worth three of the units that the numbers are rounded to
 * (the largest power of ten that divides all of them): a total that was unchanged and steps by one
 * unit has not risen. After a rise 14 days must
 * pass without one.
 *
 * @param snapshots oldest first, from HASHTAG_LOOKBACK_MS before `span`; one platform's, or all platforms'
 */
export const hashtagRises = (
  snapshots: readonly TagSnapshot[],
  span: Window,
  limits: HashtagThresholds,
): Finding[] => {
  const risesOf = (all: readonly Point[], rise: typeof levelRise): Finding[] =>
    all.flatMap((end, index) => {
      const past = end.at > span.from - QUIET_MS ? pastOf(all, index) : undefined;
      return past === undefined ? [] : (rise(end, past, limits) ?? []);
    });
  const onlyTotals = snapshots.filter(({ volume }) => volume === null);
  const findings = [
    ...risesOf(points(snapshots, 'volume'), levelRise),
    ...risesOf(points(onlyTotals, 'views'), totalRise),
  ].sort((a, b) => a.window.to - b.window.to);
  return episodes(findings, span, QUIET_MS);
};
