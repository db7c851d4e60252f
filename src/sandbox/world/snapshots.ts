import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import type { WorldCurve } from './curve.ts';
import { RandomStream } from './random-stream.ts';

const HOURS = [1, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72];
const DAYS = [4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 31];
const SMALL_HOURS = [1, 2, 4, 8, 24, 48, 72];
const SMALL_DAYS = [5, 8, 13];
const SPIKE_HOURS = [1, 2, 3, 4, 6, 8, 12, 18, 24, 36];
const SMALL_VIEWS = 40_000;

/** No video is observed when it is older than this. */
export const LAST_SNAPSHOT_MS = 32 * DAY_MS;

const FULL = [...HOURS.map((hours) => hours * HOUR_MS), ...DAYS.map((days) => days * DAY_MS)];
const SMALL = [...SMALL_HOURS.map((h) => h * HOUR_MS), ...SMALL_DAYS.map((d) => d * DAY_MS)];

/**
 * The instants at which a video's counts are taken, oldest first: on a log-like grid of its age,
 * each up to a tenth of its age (at most 40 minutes) late, and closer around second waves. Small
 * videos are observed less often, and let go after a fortnight.
 */
export const worldSnapshots = (
  curve: WorldCurve,
  bornAt: number,
  key: number,
): readonly number[] => {
  const stream = new RandomStream(6, key, bornAt);
  const ages = curve.total < SMALL_VIEWS ? SMALL : FULL;
  const around = curve.waves.flatMap(({ startMs }) =>
    SPIKE_HOURS.map((hours) => startMs + hours * HOUR_MS),
  );
  const late = (ageMs: number) => stream.next() * Math.min(ageMs / 10, 40 * MINUTE_MS);
  const instants = [...ages, ...around]
    .map((ageMs) => bornAt + Math.floor((ageMs + late(ageMs)) / SECOND_MS) * SECOND_MS)
    .filter((at) => at - bornAt <= LAST_SNAPSHOT_MS)
    .sort((a, b) => a - b);
  return [...new Set(instants)];
};
