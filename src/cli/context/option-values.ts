import { notifyTarget } from '../../base/config/notify-targets.ts';
import { TIER_NAMES, type Tier } from '../../base/config/tiers.ts';
import { rangeMs } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { parseIso } from '../../base/iso.ts';
import type { TextReader } from '../../base/text-values.ts';
import * as values from '../../base/text-values.ts';

// All commands read options through these functions, so that a wrong value gets the same message.

const refused = (flag: string, expected: string, text: string): UsageError =>
  new UsageError(`${flag} must be ${expected}; it is "${text}".`);

/** @throws UsageError naming the option */
const ofOption =
  <T>(flag: string, read: TextReader<T>) =>
  (text: string): T => {
    const parsed = read(text);
    if ('value' in parsed) return parsed.value;
    throw refused(flag, parsed.expected, text);
  };

/**
 * Reads a whole number; no upper bound without `max`.
 * @throws UsageError naming the option
 */
export const wholeNumberOption = (
  flag: string,
  min: number,
  max?: number,
): ((text: string) => number) => ofOption(flag, values.wholeNumber(min, max));

/** A reader of a comma list of names. @throws UsageError naming the option */
export const nameListOption = <T extends string>(
  flag: string,
  names: readonly T[],
): ((text: string) => T[]) => ofOption(flag, values.listOf(names));

/**
 * Reads a number above 0.
 * @throws UsageError naming the option
 */
export const positiveNumberOption = (flag: string, max: number): ((text: string) => number) =>
  ofOption(flag, values.positiveNumber(max));

/**
 * Reads one of several names.
 * @throws UsageError naming the option
 */
export const oneOfOption = <T extends string>(
  flag: string,
  names: readonly T[],
): ((text: string) => T) => ofOption(flag, values.oneOf(names));

/** A key in an option: its tier, or its calls a minute and a month. */
export interface NamedLimits {
  readonly name: string;
  readonly tier: Tier;
  readonly ratePerMinute?: number;
  readonly callsPerMonth?: number;
}

const KEY_LIST =
  'a comma list of names with a tier, or with calls a minute and a month, such as berlin=beta,oslo=30/2000';

const namedLimits = (text: string): NamedLimits | undefined => {
  const [, name = '', tier, minute, month] =
    /^([a-z0-9][a-z0-9_-]{0,62})=(?:(beta|scale|enterprise)|([1-9]\d{0,4})\/([1-9]\d{0,8}))$/.exec(
      text.trim(),
    ) ?? [];
  if (name === '') return undefined;
  const known = TIER_NAMES.find((name) => name === tier);
  return known === undefined
    ? { name, tier: 'enterprise', ratePerMinute: Number(minute), callsPerMonth: Number(month) }
    : { name, tier: known };
};

/**
 * Reads keys and their limits.
 * @throws UsageError naming the option
 */
export const keyList = (flag: string): ((text: string) => NamedLimits[]) =>
  ofOption(flag, (text): values.Parsed<NamedLimits[]> => {
    const value = text.split(',').flatMap((entry) => namedLimits(entry) ?? []);
    const names = new Set(value.map(({ name }) => name));
    return names.size === text.split(',').length ? { value } : values.expected(KEY_LIST);
  });

/**
 * Reads an ISO 8601 date or date-time as Unix ms.
 * @throws UsageError naming the option
 */
export const isoInstant =
  (flag: string) =>
  (text: string): number => {
    const at = parseIso(text);
    if (at !== undefined) return at;
    throw refused(flag, 'an ISO 8601 instant such as 2026-03-01T12:00:00Z or 2026-03-01', text);
  };

/** Reads a target of messages. It may hold a password, so it is not shown. @throws UsageError naming the option */
export const targetOption = (flag: string, text: string): string => {
  const read = notifyTarget(text);
  if ('value' in read) return read.value.reveal();
  throw new UsageError(`${flag} must be ${read.expected}.`);
};

/**
 * Reads an ISO 8601 instant, or a span such as `36h` or `7d` that ends now, as Unix ms.
 * @throws UsageError naming the option
 */
export const instantOption = (flag: string, text: string, now: number): number => {
  const spanMs = rangeMs(text);
  const at = spanMs === undefined ? parseIso(text) : now - spanMs;
  if (at !== undefined) return at;
  const expected =
    'an ISO 8601 instant such as 2026-03-01T12:00:00Z, or a span such as 24h, 7d or 4w (at most 366 days) that ends now';
  throw refused(flag, expected, text);
};
