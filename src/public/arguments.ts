import { PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import { rangeMs } from '../base/durations.ts';
import { UsageError } from '../base/errors.ts';
import { parseIso } from '../base/iso.ts';

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

/** @throws UsageError if it is not a span */
export const rangeOf = (dateRange: string): { dateRange: string; windowMs: number } => {
  const windowMs = rangeMs(dateRange);
  if (windowMs === undefined)
    throw new UsageError(
      `dateRange must be a span such as 24h, 7d or 4w, at most 366 days; it is "${dateRange}".`,
    );
  return { dateRange, windowMs };
};

/** @throws UsageError unless `values` has `value` */
export const known = <T extends string>(what: string, value: string, values: readonly T[]): T => {
  const found = values.find((name) => name === value);
  if (found === undefined)
    throw new UsageError(`${what} must be one of ${values.join(', ')}; it is "${value}".`);
  return found;
};

export const platformOf = (value: string): Platform => known('platform', value, PLATFORMS);

const whole = (what: string, value: number): number => {
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${what} must be a whole number from 1; it is ${value}.`);
  return value;
};

/** Unix ms. @throws UsageError if it is not an instant */
export const instantOf = (what: string, given: Instant): number => {
  const at = typeof given === 'string' ? parseIso(given) : Number(given);
  if (at === undefined || !Number.isFinite(at))
    throw new UsageError(
      `${what} must be ISO 8601 such as 2026-11-20T12:00:00Z, a Date or Unix milliseconds; it is "${String(given)}".`,
    );
  return at;
};

/** The instant of a read, Unix ms; `now` without `asOf`. */
export const asOfOf = ({ asOf }: AsOf, now: number): number =>
  asOf === undefined ? now : instantOf('asOf', asOf);

/** The part of a list to read, and when. */
export const partOf = ({ limit = DEFAULT_LIMIT, page = 1, ...options }: Part, now: number) => ({
  limit: whole('limit', limit),
  page: whole('page', page),
  asOf: asOfOf(options, now),
  isNow: options.asOf === undefined,
  owner: '',
});
