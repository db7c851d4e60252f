import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';

/** An instant (Unix ms) at which a zone's wall clock jumps. */
export interface WallClockChange {
  at: number;
  /** Wall time before the jump and after it, as if they were UTC. */
  from: number;
  to: number;
}

/** The changes of a zone's wall clock after `from` and up to `to`: summer time begins or ends. */
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
    let [low, high] = [start, start + DAY_MS]; // the last instant before it, the first after
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetMs(middle) === before) low = middle;
      else high = middle;
    }
    if (high <= to) changes.push({ at: high, from: high + before, to: high + after });
  }
  return changes;
};
