export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds of a `dateRange` (`<n>h`, `<n>d`, `<n>w`; at most 366 days); undefined if invalid. */
export const rangeMs = (token: string): number | undefined => {
  const match = /^([1-9]\d{0,4})([hdw])$/.exec(token);
  if (match === null) return undefined;
  const hours = Number(match[1]) * { h: 1, d: 24, w: 168 }[match[2] as 'h' | 'd' | 'w'];
  return hours <= 366 * 24 ? hours * HOUR_MS : undefined;
};
/** Longest age of fresh data without a schedule: a nightly sync and half a day. */
export const NIGHTLY_MS = 1.5 * DAY_MS;
