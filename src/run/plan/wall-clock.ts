import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';

/** A jump of a zone's wall clock, at an instant (Unix ms). */
export interface WallClockChange {
  at: number;
  /** Wall time before and after the jump, as if in UTC. */
  from: number;
  to: number;
}

/** Clock changes of a zone after `from` and up to `to`, such as the start of summer time. */
export const wallClockChanges = (timezone: string, from: number, to: number): WallClockChange[] => {
  if (timezone === 'UTC') return [];
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offsetMs = (at: number): number => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  };
  const changes: WallClockChange[] = [];
  const first = Math.floor(from / MINUTE_MS) * MINUTE_MS; // clocks jump at whole minutes
  for (let start = first; start < to; start += DAY_MS) {
    const before = offsetMs(start);
    const after = offsetMs(start + DAY_MS);
    if (before === after) continue;
    let [low, high] = [start, start + DAY_MS]; // last instant before the change, first instant after it
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetMs(middle) === before) low = middle;
      else high = middle;
    }
    if (high <= to) changes.push({ at: high, from: high + before, to: high + after });
  }
  return changes;
};
