import { DAY_MS, HOUR_MS } from '../../base/durations.ts';

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
/** Days since Monday, in UTC. */
export const weekdayOf = (at: number): number => (Math.floor(at / DAY_MS) + 3) % 7;
/** Hour of the day, in UTC. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) % 24;
