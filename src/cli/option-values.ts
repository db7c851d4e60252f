import { rangeMs } from '../durations.ts';
import { UsageError } from '../errors.ts';
import { parseIso } from '../iso.ts';

// Every command reads what its options were given with these, so that a wrong value is refused in
// the same words everywhere: the option, what it takes, what it got.

const refused = (flag: string, expected: string, text: string): UsageError =>
  new UsageError(`${flag} must be ${expected}; it is "${text}".`);

/**
 * A reader of whole numbers; without `max` there is no upper bound.
 * @throws UsageError naming the option
 */
export const wholeNumber =
  (flag: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    const to = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
    throw refused(flag, `a whole number from ${min}${to}`, text);
  };

/**
 * A reader of numbers above 0.
 * @throws UsageError naming the option
 */
export const positiveNumber =
  (flag: string, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== '' && value > 0 && value <= max) return value;
    throw refused(flag, `a number above 0, at most ${max}`, text);
  };

/**
 * A reader of one of some names.
 * @throws UsageError naming the option
 */
export const oneOf =
  <T extends string>(flag: string, names: readonly T[]) =>
  (text: string): T => {
    const name = names.find((known) => known === text);
    if (name !== undefined) return name;
    throw refused(flag, `one of ${names.join(', ')}`, text);
  };

/**
 * A reader of ISO 8601 dates and date-times, as Unix ms.
 * @throws UsageError naming the option
 */
export const isoInstant =
  (flag: string) =>
  (text: string): number => {
    const at = parseIso(text);
    if (at !== undefined) return at;
    throw refused(flag, 'an ISO 8601 instant such as 2026-03-01T12:00:00Z or 2026-03-01', text);
  };

/**
 * An instant: an ISO 8601 date or date-time, or a span such as `36h` or `7d` that ends now. Unix ms.
 * @throws UsageError naming the option
 */
export const readInstant = (flag: string, text: string, now: number): number => {
  const spanMs = rangeMs(text);
  const at = spanMs === undefined ? parseIso(text) : now - spanMs;
  if (at !== undefined) return at;
  const expected =
    'an ISO 8601 instant such as 2026-03-01T12:00:00Z, or a span such as 24h, 7d or 4w (at most 366 days) that ends now';
  throw refused(flag, expected, text);
};
