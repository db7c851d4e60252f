import { PLATFORM_PREFIXES, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { parseIso } from '../iso.ts';
import type { JsonObject } from '../json-object.ts';
import { LONGEST_TAG, MOST_TAGS } from './item-bounds.ts';

// Readers of external values. Invalid fields become null, with the original in `odd`. Nothing is
// rounded, clamped or guessed.

/** Original values of invalid fields, by name. */
export type Odd = [field: string, original: unknown][];

export type OrProblem<T> = T | { problem: string };

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value.trim())) return Number(value);
  return undefined;
};

/**
 * JSON numbers that may exceed 2^53: 16 or more digits before the point, or a positive exponent.
 * Digits after the point do not count, because any rate may have 16 of them.
 */
const WIDE_NUMBER = /[:,[]\s*-?(?:\d{16}|[\d.]+[eE]\+?\d)/;

const keepWideNumbers = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' &&
  (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    ? (context?.source ?? value)
    : value;

/**
 * Parses JSON. Numbers that a double cannot hold stay text, so that they are not rounded.
 * @throws SyntaxError
 */
export const parseJson = (text: string): unknown =>
  WIDE_NUMBER.test(text) ? JSON.parse(text, keepWideNumbers) : JSON.parse(text);

const readWith =
  <T>(parse: (value: unknown) => T | undefined) =>
  (value: unknown, field: string, odd: Odd): T | null => {
    if (value === undefined || value === null) return null;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    odd.push([field, value]);
    return null;
  };

/** A whole number from 0 to 2^53 - 1, also as text. */
export const readCount = readWith((value) => {
  if (typeof value === 'string' && !/^\s*\+?\d+(\.0+)?\s*$/.test(value)) return undefined;
  const number = numberOf(value);
  // above 2^53 - 1, a double may differ from the text
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
});

const numberFrom = (least: number) =>
  readWith((value) => {
    const number = numberOf(value);
    return number !== undefined && Number.isFinite(number) && number >= least ? number : undefined;
  });

/** A finite number from 0, also as text. */
export const readRate = numberFrom(0);

/** A finite number, also as text. */
export const readNumber = numberFrom(Number.NEGATIVE_INFINITY);

/** Text. Lone surrogates, which no file can hold, become U+FFFD. */
export const readText = readWith((value) =>
  typeof value === 'string' ? value.toWellFormed() : undefined,
);

const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_MILLISECONDS = 1e11; // below: Unix seconds (until the year 5138); above: milliseconds (from 1973)

/** Unix milliseconds from ISO 8601, Unix seconds or Unix milliseconds. */
export const readInstant = readWith((value) => {
  const number = numberOf(value);
  const at =
    number === undefined
      ? typeof value === 'string'
        ? parseIso(value)
        : undefined
      : Math.trunc(number < FIRST_MILLISECONDS ? number * 1000 : number);
  return at !== undefined && at >= 0 && at <= LAST_INSTANT ? at : undefined;
});

const readTexts = readWith((value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')
    ? value.map((entry) => entry.toWellFormed())
    : undefined,
);

const UNCLEAN_TAG = /^[#＃\s]|\s$/;
const TAG_START = /^[#＃\s]+/;

/** A tag as stored, without `#` and surrounding spaces; '' if nothing is left. */
export const cleanTag = (tag: string): string =>
  UNCLEAN_TAG.test(tag) ? tag.replace(TAG_START, '').trimEnd() : tag;

/**
 * Hashtags of a video, as written. A list with other values is invalid as a whole. Excess or
 * overlong tags are dropped, and the whole list goes to `odd`.
 */
export const readTags = (value: unknown, field: string, odd: Odd): string[] | null => {
  const tags = readTexts(value, field, odd);
  if (tags === null) return null;
  const read = tags.filter((tag) => tag.length <= LONGEST_TAG).slice(0, MOST_TAGS);
  if (read.length < tags.length) odd.push([field, value]);
  return read;
};

/** An id of 1 to 128 characters; undefined if invalid. */
export const readId = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length >= 1 && value.length <= 128 && value.isWellFormed()
    ? value
    : undefined;

/** Platform of an id's prefix. */
export const platformOfId = (id: string): Platform | undefined =>
  PLATFORMS.find((platform) => id.startsWith(`${PLATFORM_PREFIXES[platform]}_`));

/** External text on one line, without control characters. */
export const withoutControls = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const A_WORD = /^[a-z0-9_-]{1,20}$/i;

/** A single word in quotes, or the kind of value. */
const wordOr = (value: unknown): string =>
  typeof value === 'string' && A_WORD.test(value) ? `"${value}"` : `(${kindOf(value)})`;

/**
 * Platform of an item by its field, or else by its id's prefix.
 * @returns a problem if both are unusable or differ
 */
export const readPlatform = (value: unknown, id: string): OrProblem<{ platform: Platform }> => {
  const byId = platformOfId(id);
  if (value === undefined || value === null)
    return byId === undefined ? { problem: 'no platform, and none in the id' } : { platform: byId };
  const named = PLATFORMS.find((platform) => platform === value);
  if (named === undefined) return { problem: `unknown platform ${wordOr(value)}` };
  if (byId !== undefined && byId !== named)
    return { problem: `platform ${named} by its field, ${byId} by its id` };
  return { platform: named };
};

// SQLite reads JSON up to 1,000 levels deep, and serialising 10,000 overflows the stack.
export const DEEPEST_LEVELS = 200;
const TOO_DEEP = `nested deeper than ${DEEPEST_LEVELS} levels; complete in the stored response`;

/** True if a value is nested too deeply for JSON. */
export const isTooDeep = (value: unknown, levels = DEEPEST_LEVELS): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));

const keepable = (value: unknown): unknown => (isTooDeep(value) ? TOO_DEEP : value);

const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** Describes a value without its content, which may be private. */
export const kindOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string')
    return value === '' ? 'empty text' : `text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an object without fields';
  const shown = names
    .slice(0, MOST_NAMES)
    .map((name) => withoutControls(name).slice(0, LONGEST_NAME));
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `an object with the fields ${shown.join(', ')}${more}`;
};

/** JSON of a value, shortened to fit a sentence. */
export const shortly = (value: unknown, characters: number): string => {
  const text = JSON.stringify(keepable(value)) ?? String(value);
  return text.length > characters ? `${text.slice(0, characters)}...` : text;
};

/**
 * Fields of `object` that are not `known`, plus `odd`; null if empty. If the object has a field
 * `odd`, it is kept among the originals. Built without assignment, so that `__proto__` is a normal
 * field.
 */
export const extraOf = (
  object: JsonObject,
  known: ReadonlySet<string>,
  odd: Odd,
): JsonObject | null => {
  const entries: [string, unknown][] = [];
  for (const name of Object.keys(object))
    if (!known.has(name)) entries.push([name, keepable(object[name])]);
  const originals = odd.map(([field, original]) => [field, keepable(original)] as const);
  const foreign = entries.filter(([name]) => name === 'odd');
  if (odd.length > 0) entries.push(['odd', Object.fromEntries([...foreign, ...originals])]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
};

/** Reads one value. Invalid values become null, with the original in `odd`. */
export type FieldReader<T> = (value: unknown, field: string, odd: Odd) => T | null;

export interface Field<T> {
  /** Accepted names. The first one is the interface's. */
  readonly names: readonly string[];
  readonly read: FieldReader<T>;
  readonly unit: string;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

type FieldsRead<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer T> ? T | null : never;
};

/** First non-null value under one of the names; null if all are null; undefined if missing. */
export const valueUnder = (object: JsonObject, names: readonly string[]): unknown => {
  const existing = names.filter((name) => Object.hasOwn(object, name));
  const name = existing.find((each) => object[each] !== null) ?? existing[0];
  return name === undefined ? undefined : object[name];
};

/** Accepted names of all fields. */
export const namesOf = (fields: Fields): string[] =>
  Object.values(fields).flatMap(({ names }) => names);

/** Reads the fields of an object. Invalid values go to `odd` under the field's name. */
export const readFields = <F extends Fields>(
  object: JsonObject,
  fields: F,
  odd: Odd,
): FieldsRead<F> => {
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const { names, read: readOne } = fields[name] as Field<unknown>;
    read[name] = readOne(valueUnder(object, names), name, odd);
  }
  return read as FieldsRead<F>;
};
