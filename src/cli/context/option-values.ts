import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { PLATFORMS } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import { notifyTarget } from '../../base/config/notify-targets.ts';
import { TIER_NAMES } from '../../base/config/tiers.ts';
import { rangeMs } from '../../base/durations.ts';
import { messageOf, UsageError } from '../../base/errors.ts';
import { parseIso } from '../../base/iso.ts';
import {
  expected,
  oneOf,
  orExpected,
  type Parsed,
  type TextReader,
} from '../../base/text-values.ts';
import type { SandboxKeyWish } from '../../sandbox/sandbox.ts';

/** Text of a file that an option names, without its byte order mark. @throws UsageError */
export const textFromFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}.`);
  }
};

/** Reads the value of an option or argument. @throws UsageError naming it */
export const readValue = <T>(name: string, read: TextReader<T>, text: string): T => {
  const parsed = read(text);
  if ('value' in parsed) return parsed.value;
  throw new UsageError(`${name} must be ${parsed.expected}; it is "${text}".`);
};

/**
 * An option with a value; a wrong one is refused.
 * @param usual default, as a user would write it
 */
export const valued = <T>(
  flags: string,
  description: string,
  read: TextReader<T>,
  usual?: string | number,
): Option => {
  const [flag = ''] = flags.split(' ');
  const option = new Option(flags, description).argParser((text) => readValue(flag, read, text));
  return usual === undefined
    ? option
    : option.default(readValue(flag, read, String(usual)), JSON.stringify(usual));
};

export const platformOption = (description = PLATFORMS.join(', ')): Option =>
  valued('--platform <name>', description, oneOf(PLATFORMS));

/** An option that may be given several times. Its value is an array. */
export const repeatable = (flags: string, description: string): Option =>
  new Option(flags, description)
    .argParser((text: string, earlier: string[]) => [...earlier, text])
    .default([]);

const KEY_LIST =
  'a comma list of names with a tier, or with calls a minute and a month, such as berlin=beta,oslo=30/2000';

const namedLimits = (text: string): SandboxKeyWish | undefined => {
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

/** Reads keys and their limits. */
export const keyList = (text: string): Parsed<SandboxKeyWish[]> => {
  const value = text.split(',').flatMap((entry) => namedLimits(entry) ?? []);
  const names = new Set(value.map(({ name }) => name));
  return names.size === text.split(',').length ? { value } : expected(KEY_LIST);
};

/** Reads an ISO 8601 date or date-time as Unix ms. */
export const isoInstant = (text: string): Parsed<number> =>
  orExpected(parseIso(text), 'an ISO 8601 instant such as 2026-03-01T12:00:00Z or 2026-03-01');

/** Reads an ISO 8601 instant, or a span such as `36h` or `7d` that ends now, as Unix ms. */
export const instantBefore =
  (io: { readonly clock: Clock }) =>
  (text: string): Parsed<number> => {
    const spanMs = rangeMs(text);
    return orExpected(
      spanMs === undefined ? parseIso(text) : io.clock.now() - spanMs,
      'an ISO 8601 instant such as 2026-03-01T12:00:00Z, or a span such as 24h, 7d or 4w (at most 366 days) that ends now',
    );
  };

/** `--since`, an instant or a span. @param example a span, and the default if there is one */
export const sinceOption = (io: { readonly clock: Clock }, of: string, example: string): Option =>
  valued('--since <instant>', `${of}: ISO 8601, or a span such as ${example}`, instantBefore(io));

/** Reads a span as ms. @param examples such as `24h, 7d or 4w` */
export const spanLike =
  (examples: string) =>
  (text: string): Parsed<number> =>
    orExpected(rangeMs(text), `a span such as ${examples}`);

/** Reads a target of messages. It may hold a password, so it is not shown. @throws UsageError naming the option */
export const targetOption = (flag: string, text: string): string => {
  const read = notifyTarget(text);
  if ('value' in read) return read.value.reveal();
  throw new UsageError(`${flag} must be ${read.expected}.`);
};

/** A target without its secrets. */
export const targetText = (target: string): string => {
  const url = /^[a-z]+(?:\+https)?:/i.test(target) ? URL.parse(target) : null;
  if (url === null) return 'command';
  const to = url.searchParams.get('to');
  return /^smtps?:$/.test(url.protocol) ? `mail to ${to}` : `${url.protocol}//${url.host}`;
};
