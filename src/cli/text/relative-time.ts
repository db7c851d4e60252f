import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { isoOf } from '../../base/iso.ts';

/** Smallest span for each unit: 200 minutes read better as 3 h. */
const UNITS: readonly (readonly [string, number])[] = [
  ['d', 2 * DAY_MS],
  ['h', 2 * HOUR_MS],
  ['min', 2 * MINUTE_MS],
  ['s', 0],
];
const UNIT_MS: Readonly<Record<string, number>> = {
  d: DAY_MS,
  h: HOUR_MS,
  min: MINUTE_MS,
  s: SECOND_MS,
};

/** Distance of an instant (Unix ms) from now: `5 min ago`, `in 31 s`. */
export const relativeTime = (at: number, now: number): string => {
  const spanMs = Math.abs(at - now);
  const [unit] = UNITS.find(([, from]) => spanMs >= from) ?? ['s'];
  const count = Math.floor(spanMs / (UNIT_MS[unit] ?? SECOND_MS));
  if (count === 0) return 'now';
  return at < now ? `${count} ${unit} ago` : `in ${count} ${unit}`;
};

/** The exact time and the relative one. */
export const timeText = (at: number, now: number): string =>
  `${isoOf(at)} (${relativeTime(at, now)})`;
