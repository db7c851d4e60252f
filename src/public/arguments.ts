import { rangeMs } from '../base/durations.ts';
import { UsageError } from '../base/errors.ts';
import { parseIso } from '../base/iso.ts';

// Checks of arguments. Each throws a UsageError with the expected and the given value.

/** ISO 8601, a Date or Unix milliseconds. */
export type Instant = string | Date | number;

/** When a read is true. Absent: now. */
export interface AsOf {
  readonly asOf?: Instant;
}

/** Part of a list; pages start at 1. `limit` is 50 by default. */
export interface Part extends AsOf {
  readonly limit?: number;
  readonly page?: number;
}

const DEFAULT_LIMIT = 50;
export const windowOf = (dateRange: string): number => {
  const windowMs = rangeMs(dateRange);
  if (windowMs === undefined)
    throw new UsageError(
      `dateRange must be a span such as 24h, 7d or 4w, at most 366 days; it is "${dateRange}".`,
    );
  return windowMs;
};

export const known = <T extends string>(what: string, value: string, values: readonly T[]): T => {
  const found = values.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`${what} must be one of ${values.join(', ')}; it is "${value}".`);
  return found;
};

const whole = (what: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${what} must be a whole number from 1; it is ${value}.`);
  return value;
};

export const instantOf = (what: string, given: Instant): number => {
  const at = typeof given === 'string' ? parseIso(given) : Number(given);
  if (at === undefined || !Number.isFinite(at))
    throw new UsageError(
      `${what} must be ISO 8601 such as 2026-11-20T12:00:00Z, a Date or Unix milliseconds; it is "${String(given)}".`,
    );
  return at;
};

/** @param now Unix ms, the default */
export const instant = ({ asOf }: AsOf, now: number): number =>
  asOf === undefined ? now : instantOf('asOf', asOf);

/** @param now Unix ms, the default of `asOf` */
export const moment = (
  { limit = DEFAULT_LIMIT, page: number = 1, ...options }: Part,
  now: number,
) => ({
  limit: whole('limit', limit),
  page: whole('page', number),
  asOf: instant(options, now),
  owner: '',
});
