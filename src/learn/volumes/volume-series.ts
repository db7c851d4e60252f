import { DAY_MS } from '../../base/durations.ts';
import { lastAtOrBefore } from '../model/curve.ts';

export interface Volume {
  readonly at: number; // Unix ms
  readonly volume: number;
}

/** Volumes of one hashtag, oldest first, at most one a day. */
export interface DailyVolumes {
  readonly key: number;
  readonly volumes: readonly Volume[];
}

/** Horizon of the forecasts. */
export const AHEAD_HOURS = 168;
export const AHEAD_MS: number = 7 * DAY_MS;

/** Without it, tags with few videos seem to explode. */
const VOLUME_DAMPING = 10;

/** Scale of the model: ln(volume + 10). */
export const logVolume = (volume: number): number => Math.log(Math.max(0, volume) + VOLUME_DAMPING);

/** Inverse of `logVolume`. */
export const volumeAt = (log: number): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(Math.exp(log) - VOLUME_DAMPING)));

/** Longest distance from an instant to the volume that represents it. */
const NEAR_MS = 0.875 * DAY_MS;

/** Log of the nearest volume within positions; undefined beyond NEAR_MS. */
const logNear = (
  volumes: readonly Volume[],
  at: number,
  { from, to }: { from: number; to: number },
): number | undefined => {
  const next = Math.min(to, Math.max(from, lastAtOrBefore(volumes, at) + 1));
  const before = next > from ? volumes[next - 1] : undefined;
  const after = next < to ? volumes[next] : undefined;
  const isBefore = before !== undefined && (after === undefined || at - before.at <= after.at - at);
  const near = isBefore ? before : after;
  return near !== undefined && Math.abs(near.at - at) <= NEAR_MS
    ? logVolume(near.volume)
    : undefined;
};

/** Outcome a week after a volume, as ln(volume + 10); undefined if unknown. */
export const volumeAfter = ({ volumes }: DailyVolumes, position: number): number | undefined => {
  const at = (volumes[position] as Volume).at + AHEAD_MS;
  return logNear(volumes, at, { from: position + 1, to: volumes.length });
};

const BACK_DAYS = [1, 3, 7, 14, 28] as const;
/** Steps that measure the volatility of a tag. */
const STEPS = 14;
export const VOLUME_FEATURES: number = BACK_DAYS.length + 5;

/** Growth of ln(volume + 10) over the days before a volume; undefined if unknown. */
export const grewOver = (
  { volumes }: DailyVolumes,
  position: number,
  days: number,
): number | undefined => {
  const now = volumes[position] as Volume;
  const before = logNear(volumes, now.at - days * DAY_MS, { from: 0, to: position });
  return before === undefined ? undefined : logVolume(now.volume) - before;
};

/** Uses only the volume at `position` and earlier ones. */
export const describeVolume = (series: DailyVolumes, position: number, row: Float32Array): void => {
  const { volumes } = series;
  const now = volumes[position] as Volume;
  const first = volumes[0] as Volume;
  let [most, squares] = [0, 0];
  for (let i = 0; i <= position; i++) most = Math.max(most, (volumes[i] as Volume).volume);
  const from = Math.max(1, position - STEPS + 1);
  for (let i = from; i <= position; i++) {
    const [before, after] = [volumes[i - 1] as Volume, volumes[i] as Volume];
    squares += (logVolume(after.volume) - logVolume(before.volume)) ** 2;
  }
  for (const [index, days] of BACK_DAYS.entries())
    row[index] = grewOver(series, position, days) ?? Number.NaN;
  const at = BACK_DAYS.length;
  row[at] = logVolume(now.volume);
  row[at + 1] = (now.at - first.at) / DAY_MS;
  row[at + 2] = logVolume(most) - logVolume(now.volume);
  row[at + 3] = logVolume(now.volume) - logVolume(first.volume);
  row[at + 4] = position === 0 ? Number.NaN : Math.sqrt(squares / (position - from + 1));
};
