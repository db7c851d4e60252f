import { MINUTE_MS } from './durations.ts';

/** Unix milliseconds as ISO 8601 UTC. */
export const isoOf = (at: number): string => new Date(at).toISOString();

/** The UTC day of an instant, `YYYY-MM-DD`. */
export const dateOf = (at: number): string => isoOf(at).slice(0, 10);

/** An instant to the minute, as people read it: `2026-03-01 06:00 UTC`. */
export const minuteOf = (at: number): string => `${isoOf(at).slice(0, 16).replace('T', ' ')} UTC`;

/**
 * Unix milliseconds of an ISO 8601 date or date-time (UTC unless it names an offset), or undefined
 * when it is not one or names an impossible day.
 */
export const parseIso = (value: string): number | undefined => {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/.exec(
      value.trim(),
    );
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = Date.UTC(y, mo - 1, d, h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const back = new Date(at);
  const exact =
    back.getUTCFullYear() === y && // two-digit years would be taken for 19xx
    back.getUTCMonth() === mo - 1 &&
    back.getUTCDate() === d &&
    h < 24 &&
    mi < 60 &&
    s < 60;
  if (!exact) return undefined;
  if (zone.toUpperCase() === 'Z') return at;
  const minutesPast = Number(zone.slice(3).replace(':', '') || '0');
  const zoneMinutes = Number(zone.slice(1, 3)) * 60 + minutesPast;
  if (zoneMinutes > 14 * 60 || minutesPast > 59) return undefined;
  return at - (zone.startsWith('-') ? -1 : 1) * zoneMinutes * MINUTE_MS;
};
