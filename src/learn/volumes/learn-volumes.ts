import { DAY_MS } from '../../base/durations.ts';
import { type Correction, correctionOf } from '../model/conformal.ts';
import type { ForecastRange } from '../model/misses.ts';
import { middle } from '../model/quantiles.ts';
import { binned, evaluateRange, type Growing, growRange, type RangeTrees } from '../model/trees.ts';
import {
  AHEAD_MS,
  type DailyVolumes,
  describeVolume,
  grewOver,
  logVolume,
  VOLUME_FEATURES,
  type Volume,
  volumeAfter,
  volumeAt,
} from './volume-series.ts';

/** History needed for a first model. */
export const LEAST_WATCHED_MS: number = 56 * DAY_MS;
/** Outcomes needed for a model, one a tag and week. */
export const LEAST_TAG_WEEKS = 100;
/** The newest share of the time with outcomes is held back to correct intervals. */
const HELD_BACK = 0.3;
const MAX_ROWS = 6000;
const SIZE: Growing = { trees: 100, depth: 4, rate: 0.1, leastRows: 30 };

/** Model of one platform, source and window. Plain data. */
export interface VolumeModel extends RangeTrees {
  readonly learntUntil: number; // Unix ms
  readonly tagWeeks: number;
  /** Median growth of ln(volume + 10) in a week, one of the baselines. */
  readonly usual: number;
  readonly correction: Correction;
}

interface Row {
  readonly at: number;
  readonly grew: number;
  readonly features: Float32Array;
}

/** Volumes with a known outcome, oldest first; at most about MAX_ROWS. */
const rowsOf = (series: readonly DailyVolumes[]): Row[] => {
  const all = series.reduce((sum, { volumes }) => sum + volumes.length, 0);
  const every = Math.max(1, Math.ceil(all / MAX_ROWS));
  const rows: Row[] = [];
  let seen = 0;
  for (const daily of series)
    for (const [position, { at, volume }] of daily.volumes.entries()) {
      if (seen++ % every !== 0) continue;
      const truth = volumeAfter(daily, position);
      if (truth === undefined) continue;
      const features = new Float32Array(VOLUME_FEATURES);
      describeVolume(daily, position, features);
      rows.push({ at, grew: truth - logVolume(volume), features });
    }
  return rows.sort((a, b) => a.at - b.at);
};

const grow = (rows: readonly Row[]) => {
  const target = Float32Array.from(rows, ({ grew }) => grew);
  const columns = Array.from({ length: VOLUME_FEATURES }, (_, feature) =>
    Float32Array.from(rows, ({ features }) => features[feature] as number),
  );
  const usual = middle(rows.map(({ grew }) => grew)) ?? 0;
  return { usual, ...growRange(binned(rows.length, columns), target, SIZE) };
};

/** Counts one outcome a tag and week, because those of one week overlap. */
export const tagWeeksOf = (series: readonly DailyVolumes[]): number => {
  let count = 0;
  for (const daily of series) {
    let counted = Number.NEGATIVE_INFINITY;
    for (const [position, { at }] of daily.volumes.entries()) {
      if (at - counted < AHEAD_MS || volumeAfter(daily, position) === undefined) continue;
      counted = at;
      count += 1;
    }
  }
  return count;
};

const watchedMs = (series: readonly DailyVolumes[]): number => {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { volumes } of series) {
    first = Math.min(first, volumes[0]?.at ?? first);
    last = Math.max(last, volumes.at(-1)?.at ?? last);
  }
  return Math.max(0, last - first);
};

/**
 * Learns the weekly change from volumes known at `at`. Deterministic for the order of the series.
 * @returns undefined with less than LEAST_WATCHED_MS or LEAST_TAG_WEEKS
 */
export const learnVolumes = (
  series: readonly DailyVolumes[],
  at: number,
): VolumeModel | undefined => {
  if (watchedMs(series) < LEAST_WATCHED_MS) return undefined;
  const tagWeeks = tagWeeksOf(series);
  if (tagWeeks < LEAST_TAG_WEEKS) return undefined;
  const rows = rowsOf(series);
  const [first, last] = [rows[0]?.at ?? at, rows.at(-1)?.at ?? at];
  const backAt = last - HELD_BACK * (last - first);
  const held = rows.filter((row) => row.at > backAt);
  // outcomes of the held-back time must stay unknown here
  const tried = grow(rows.filter((row) => row.at + AHEAD_MS <= backAt));
  const misses = held.map(({ features, grew }) => {
    const { low, high } = evaluateRange(tried, features);
    return { below: low - grew, above: grew - high, weight: 1 };
  });
  return { learntUntil: at, tagWeeks, ...grow(rows), correction: correctionOf(misses) };
};

/** The volume a week ahead. Uses only the volume at `position` and earlier ones. */
export const volumeAhead = (
  model: VolumeModel,
  series: DailyVolumes,
  position: number,
): ForecastRange => {
  const row = new Float32Array(VOLUME_FEATURES);
  describeVolume(series, position, row);
  const now = logVolume((series.volumes[position] as Volume).volume);
  const { low, median, high } = evaluateRange(model, row);
  return {
    median: volumeAt(now + median),
    low: volumeAt(now + Math.min(median, low - model.correction.below)),
    high: volumeAt(now + Math.max(median, high + model.correction.above)),
  };
};

/** Baselines of ln(volume + 10) a week after a volume. */
export const volumeBaselines = (
  { usual }: Pick<VolumeModel, 'usual'>,
  series: DailyVolumes,
  position: number,
) => {
  const now = logVolume((series.volumes[position] as Volume).volume);
  return {
    countStays: now,
    paceGoesOn: now + (grewOver(series, position, 7) ?? 0),
    cohortMedian: now + usual,
  };
};
