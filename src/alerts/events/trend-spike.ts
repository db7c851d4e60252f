import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { episodes, type Finding, toThousandths, type Window } from './event.ts';
import type { PaceEvidence } from './evidence.ts';
import { forecastFindings, type StatedForecast } from './forecast-spike.ts';
import type { SpikeThresholds } from './thresholds.ts';
import { firstOfEach, isKnown, type KnownSnapshot, type Snapshot } from './timeline.ts';

const EVERY_MS = 30 * MINUTE_MS;
const MIN_WINDOW_MS = 3 * HOUR_MS;
const MAX_WINDOW_MS = 36 * HOUR_MS;
const FLAT_MS = DAY_MS;
const PAST_MS = 7 * DAY_MS;
const QUIET_MS = 14 * DAY_MS;
/** One that ends a window, one that begins it, and one of the past before it. */
export const FEWEST_SNAPSHOTS = 3;
/** Keeps videos of a few views from looking like explosions. */
const VIEW_DAMPING = 1000;

/** Read before a span, with an extra day so that thinning starts outside of it. */
export const SPIKE_LOOKBACK_MS = MAX_WINDOW_MS + PAST_MS + QUIET_MS + DAY_MS;

/** Highest count up to each snapshot: a return to it after a correction is not a gain. */
const highestUntil = (snapshots: readonly KnownSnapshot[]): number[] => {
  let highest = 0;
  return snapshots.map(({ views }) => {
    highest = Math.max(highest, views);
    return highest;
  });
};

interface Span {
  readonly from: number; // position of the snapshot that opens it
  readonly hours: number;
  readonly gain: number;
}

/** The last position at or before `until` whose snapshot is at least `spanMs` older than `at`; else 0. */
const backTo = (
  snapshots: readonly KnownSnapshot[],
  until: number,
  at: number,
  spanMs: number,
): number => {
  let position = until;
  while (position > 0 && at - (snapshots[position] as KnownSnapshot).at < spanMs) position -= 1;
  return position;
};

const spanBetween = (
  snapshots: readonly KnownSnapshot[],
  highest: readonly number[],
  from: number,
  to: number,
): Span => ({
  from,
  hours: ((snapshots[to] as KnownSnapshot).at - (snapshots[from] as KnownSnapshot).at) / HOUR_MS,
  gain: (highest[to] as number) - (highest[from] as number),
});

/** The window that ends at the last snapshot, and the stretch of the video's own past before it. */
const windowAndPast = (
  snapshots: readonly KnownSnapshot[],
  highest: readonly number[],
): { window: Span; past: Span } | undefined => {
  const last = snapshots.length - 1;
  const end = snapshots[last];
  if (snapshots.length < FEWEST_SNAPSHOTS || end === undefined) return undefined;
  let start = backTo(snapshots, last - 1, end.at, MIN_WINDOW_MS);
  // Counters step: a stretch without change belongs to the step that ends it.
  while (
    start > 0 &&
    highest[start - 1] === highest[start] &&
    end.at - (snapshots[start - 1] as KnownSnapshot).at <= FLAT_MS
  )
    start -= 1;
  const from = snapshots[start] as KnownSnapshot;
  const windowMs = end.at - from.at;
  if (start === 0 || windowMs < MIN_WINDOW_MS || windowMs > MAX_WINDOW_MS) return undefined;
  const before = backTo(snapshots, start - 1, from.at, windowMs);
  const pastMs = from.at - (snapshots[before] as KnownSnapshot).at;
  if (pastMs < windowMs / 2 || pastMs > PAST_MS) return undefined;
  return {
    window: spanBetween(snapshots, highest, start, last),
    past: spanBetween(snapshots, highest, before, start),
  };
};

const spikeAtLast = (
  snapshots: readonly KnownSnapshot[],
  createdAt: number | null,
  limits: SpikeThresholds,
): Finding | undefined => {
  const highest = highestUntil(snapshots);
  const spans = windowAndPast(snapshots, highest);
  if (spans === undefined) return undefined;
  const { window, past } = spans;
  const pace = window.gain / window.hours;
  if (window.gain < limits.minGain || pace < limits.minPace) return undefined;

  const end = snapshots.at(-1) as KnownSnapshot;
  const from = snapshots[window.from] as KnownSnapshot;
  const before = snapshots[past.from] as KnownSnapshot;
  const ageAt = (at: number): number =>
    createdAt === null ? Number.NaN : Math.max(HOUR_MS, at - createdAt);
  const slowing =
    createdAt === null ? 1 : (ageAt(from.at) + ageAt(before.at)) / (ageAt(end.at) + ageAt(from.at));
  const ownPace = past.gain / past.hours;
  const expected = ownPace * slowing;
  const ratio = pace / Math.max(expected, 1);
  if (ratio < limits.minRatio) return undefined;

  const viewsBefore = highest[window.from] as number;
  const rise = Math.log(((highest.at(-1) as number) + VIEW_DAMPING) / (viewsBefore + VIEW_DAMPING));
  const ageing = Math.log(ageAt(end.at) / ageAt(from.at));
  const bend = createdAt === null || ageing <= 0 ? null : rise / ageing;
  if (bend !== null && bend < limits.minBend) return undefined;
  return {
    window: { from: from.at, to: end.at },
    evidence: {
      rule: 'pace',
      views: end.views,
      viewsBefore,
      gain: window.gain,
      viewsPerHour: toThousandths(pace),
      ownViewsPerHour: toThousandths(ownPace),
      expectedViewsPerHour: toThousandths(expected),
      ratio: toThousandths(ratio),
      bend: bend === null ? null : toThousandths(bend),
      ageHours: createdAt === null ? null : toThousandths((end.at - createdAt) / HOUR_MS),
      snapshots: snapshots.length,
      source: end.source ?? null,
    } satisfies PaceEvidence,
  };
};

/** Every snapshot at which the pace is that of a spike, oldest first, from QUIET_MS before `span`. */
const paceFindings = (
  known: readonly KnownSnapshot[],
  createdAt: number | null,
  span: Window,
  limits: SpikeThresholds,
): Finding[] => {
  const findings: Finding[] = [];
  let first = 0;
  for (const [index, { at }] of known.entries()) {
    if (at <= span.from - QUIET_MS) continue;
    while ((known[first] as KnownSnapshot).at < at - MAX_WINDOW_MS - PAST_MS) first += 1;
    const finding = spikeAtLast(known.slice(first, index + 1), createdAt, limits);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
};

/**
 * `trend.spike`: a video gains views much faster than its own recent pace and its age lead one to
 * expect.
 *
 * Over snapshots at most one per half hour, zeros left out, counts as the highest so far:
 * - window: the last snapshot and the latest one at least 3 h before it (at most 36 h: not looking is
 *   not a rise), opened further over a flat stretch of up to 24 h, because counters move in steps;
 * - past: from the window's start back over at least as long, at least half as long where the video
 *   is young, at most 7 days;
 * - `viewsPerHour` = gain / hours of the window; `ownViewsPerHour` the same of the past;
 * - `expectedViewsPerHour` = own pace x (mean age in the past / mean age in the window): an ageing
 *   video slows in proportion to its age; without a publishing time it is the own pace;
 * - `ratio` = pace / expected; `bend` = ln((views + 1000) / (before + 1000)) / ln(age / age before),
 *   the slope of the curve on two logarithmic scales: 1 is growth in proportion to age.
 *
 * A spike has gain, pace, ratio and bend at or above the platform's thresholds. The first snapshots of
 * a video are its baseline (three are needed); after a spike 14 days must pass without one.
 *
 * From a video's first trusted forecast on, forecasts decide; before it, the pace does. Both make one
 * sequence, of which the first after 14 quiet days is an event.
 *
 * @param video `snapshots` and what trusted models stated, oldest first, from SPIKE_LOOKBACK_MS before
 *   `span`
 */
export const trendSpikes = (
  {
    snapshots,
    createdAt,
    stated = [],
  }: {
    readonly snapshots: readonly Snapshot[];
    readonly createdAt: number | null;
    readonly stated?: readonly StatedForecast[];
  },
  span: Window,
  limits: SpikeThresholds,
): Finding[] => {
  const known = snapshots.filter(isKnown);
  const firstStatedAt = stated[0]?.at ?? Number.POSITIVE_INFINITY;
  const ofPace = paceFindings(firstOfEach(known, EVERY_MS), createdAt, span, limits).filter(
    ({ window }) => window.to < firstStatedAt,
  );
  const findings = [...ofPace, ...forecastFindings(known, createdAt, stated)];
  return episodes(
    findings.sort((a, b) => a.window.to - b.window.to),
    span,
    QUIET_MS,
  );
};
