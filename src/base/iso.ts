import { MINUTE_MS } from './durations.ts';

export const isoOf = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at));

/** A copy of a record with these instants (Unix ms) as ISO 8601. Null stays null. */
export const withIso = <Name extends string, Of extends Readonly<Record<Name, number | null>>>(
  record: Of,
  ...names: Name[]
) => {
  const texts = names.map((name) => [name, isoOrNull(record[name])]);
  return { ...record, ...Object.fromEntries(texts) } as Omit<Of, Name> & {
    [N in Name]: Of[N] extends number ? string : string | null;
  };
};

/** UTC date, `YYYY-MM-DD`. */
export const dateOf = (at: number): string => isoOf(at).slice(0, 10);

/** Instant to the minute, such as `2026-03-01 06:00 UTC`. */
export const minuteOf = (at: number): string => `${isoOf(at).slice(0, 16).replace('T', ' ')} UTC`;

/** Unix milliseconds of an ISO 8601 date or date-time (default UTC); undefined if invalid. */
export const parseIso = (value: string): number | undefined => {
  const match =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/.exec(
      value.trim(),
    );
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] =
    match;
  const numbers = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = numbers;
  const at = Date.UTC(y, mo - 1, d, h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const date = new Date(at);
  const isSameDay =
    date.getUTCFullYear() === y && // Date.UTC takes years below 100 for 19xx
    date.getUTCMonth() === mo - 1 &&
    date.getUTCDate() === d;
  if (!isSameDay || h > 23 || mi > 59 || s > 59) return undefined;
  if (zone.toUpperCase() === 'Z') return at;
  const minutesPast = Number(zone.slice(3).replace(':', '') || '0');
  const zoneMinutes = Number(zone.slice(1, 3)) * 60 + minutesPast;
  if (zoneMinutes > 14 * 60 || minutesPast > 59) return undefined;
  return at - (zone.startsWith('-') ? -1 : 1) * zoneMinutes * MINUTE_MS;
};
