import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';

/** A unit is used from two of it on: 200 minutes read better as 3 h. */
const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** Distance of an instant (Unix ms) from now: `5 min ago`, `in 31 s`. */
export const relativeTime = (at: number, now: number): string => {
  const spanMs = Math.abs(at - now);
  const [unit, unitMs] = UNITS.find(([, ms]) => spanMs >= 2 * ms) ?? ['s', SECOND_MS];
  const count = Math.floor(spanMs / unitMs);
  if (count === 0) return 'now';
  return at < now ? `${count} ${unit} ago` : `in ${count} ${unit}`;
};

/** The exact time and the relative one. */
export const timeText = (at: number, now: number): string =>
  `${isoOf(at)} (${relativeTime(at, now)})`;
