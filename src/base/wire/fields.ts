import { PLATFORM_PREFIXES, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { parseIso } from '../iso.ts';
import type { JsonObject } from '../json-object.ts';
import { LONGEST_TAG, MOST_TAGS } from './item-bounds.ts';

// What a value from outside may be. A field that cannot be right becomes null and its original goes
// to `odd`: nothing is rounded, clamped or guessed.

/** Originals of fields that could not be right, by field name. */
export type Odd = [field: string, original: unknown][];

/** A thing read, or why it cannot be. */
export type OrProblem<T> = T | { problem: string };

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value.trim())) return Number(value);
  return undefined;
};

/**
 * Numbers in JSON that may be past 2^53: of 16 digits before the point or more, or with an exponent
 * that is not negative. Digits after the point do not count: any rate may have 16 of them.
 */
const WIDE_NUMBER = /[:,[]\s*-?(?:\d{16}|[\d.]+[eE]\+?\d)/;

const keepWideNumbers = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' &&
  (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
    ? (context?.source ?? value)
    : value;

/**
 * Parses JSON. A number that a double cannot hold comes as the text it was, so that it is seen for
 * what it is instead of rounded.
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
  // past 2^53 - 1 the text may name a number that a double cannot hold
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
});

/** A finite number from 0, also as text. */
export const readRate = readWith((value) => {
  const number = numberOf(value);
  return number !== undefined && Number.isFinite(number) && number >= 0 ? number : undefined;
});

/** A finite number, also as text. */
export const readNumber = readWith((value) => {
  const number = numberOf(value);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
});

/** Text; lone surrogates, which no file can hold, become U+FFFD. */
export const readText = readWith((value) =>
  typeof value === 'string' ? value.toWellFormed() : undefined,
);

const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_MILLISECONDS = 1e11; // below: Unix seconds (until the year 5138); above: milliseconds (from 1973)

/** An instant as Unix milliseconds: from ISO 8601, Unix seconds or Unix milliseconds. */
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

/** A tag as stored: without `#` and blanks around it; '' when nothing is left. */
export const cleanTag = (tag: string): string =>
  UNCLEAN_TAG.test(tag) ? tag.replace(TAG_START, '').trimEnd() : tag;

/**
 * A video's list of hashtags, as written. Members that are no text drop the whole list into `odd`; of
 * more or longer ones than are read, those that are read stay, and the list goes to `odd` whole.
 */
export const readTags = (value: unknown, field: string, odd: Odd): string[] | null => {
  const tags = readTexts(value, field, odd);
  if (tags === null) return null;
  const read = tags.filter((tag) => tag.length <= LONGEST_TAG).slice(0, MOST_TAGS);
  if (read.length < tags.length) odd.push([field, value]);
  return read;
};

/** An id: text of 1 to 128 characters; else undefined. */
export const readId = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length >= 1 && value.length <= 128 && value.isWellFormed()
    ? value
    : undefined;

/** The platform an id's prefix names, or undefined. */
export const platformOfId = (id: string): Platform | undefined =>
  PLATFORMS.find((platform) => id.startsWith(`${PLATFORM_PREFIXES[platform]}_`));

/** What others wrote, on one line and without what would move a terminal's cursor. */
export const withoutControls = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const A_WORD = /^[a-z0-9_-]{1,20}$/i;

/** A value that is a single word, else what it is. */
const wordOr = (value: unknown): string =>
  typeof value === 'string' && A_WORD.test(value) ? `"${value}"` : `(${kindOf(value)})`;

/**
 * The platform of an item: as it says, else as its id's prefix says.
 * @returns a sentence when neither is usable, or when both are and they differ
 */
export const readPlatform = (
  value: unknown,
  id: string,
): { platform: Platform } | { problem: string } => {
  const byId = platformOfId(id);
  if (value === undefined || value === null)
    return byId === undefined ? { problem: 'no platform, and none in the id' } : { platform: byId };
  const named = PLATFORMS.find((platform) => platform === value);
  if (named === undefined) return { problem: `unknown platform ${wordOr(value)}` };
  if (byId !== undefined && byId !== named)
    return { problem: `platform ${named} by its field, ${byId} by its id` };
  return { platform: named };
};

// SQLite reads JSON no deeper than 1,000 levels, and writing some 10,000 overflows the stack.
export const DEEPEST_LEVELS = 200;
const TOO_DEEP = `nested deeper than ${DEEPEST_LEVELS} levels; whole in the kept response`;

/** Whether a value is nested deeper than can be kept as JSON. */
export const isTooDeep = (value: unknown, levels = DEEPEST_LEVELS): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));

/** A value that can be kept as JSON: itself, or a word that it is nested too deep. */
const keepable = (value: unknown): unknown => (isTooDeep(value) ? TOO_DEEP : value);

const MOST_NAMES = 10;
const LONGEST_NAME = 40;

/** What a value is, in words that say nothing of what it says: it may be somebody's own. */
export const kindOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string')
    return value === '' ? 'empty text' : `text of ${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an object without fields';
  const told = names
    .slice(0, MOST_NAMES)
    .map((name) => withoutControls(name).slice(0, LONGEST_NAME));
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `an object with the fields ${told.join(', ')}${more}`;
};

/** A value as JSON, short enough for a sentence. */
export const shortly = (value: unknown, characters: number): string => {
  const text = JSON.stringify(keepable(value)) ?? String(value);
  return text.length > characters ? `${text.slice(0, characters)}...` : text;
};

/**
 * The fields of `object` that are not `known`, plus `odd` where there are any; null without either.
 * A field of that very name stands among the originals then, under its own name: nothing is lost.
 * Built without assignment, so that a field named `__proto__` is a field like any other.
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
  const theirs = entries.filter(([name]) => name === 'odd');
  if (odd.length > 0) entries.push(['odd', Object.fromEntries([...theirs, ...originals])]);
  return entries.length === 0 ? null : Object.fromEntries(entries);
};

/** Reads one value; one that cannot be right becomes null, its original goes to `odd`. */
export type FieldReader<T> = (value: unknown, field: string, odd: Odd) => T | null;

/** One field of what comes from outside. */
export interface Field<T> {
  /** Names it is accepted under; the first one is ours. */
  readonly names: readonly string[];
  readonly read: FieldReader<T>;
  readonly unit: string;
}

/** What an object is a thing of, and so which fields it may have: see `FIELDS`. */
type Fields = Readonly<Record<string, Field<unknown>>>;

/** The fields of a thing, read: each is known or null. */
type FieldsRead<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer T> ? T | null : never;
};

/** The first value that is not null under one of the names; null if all are, undefined without any. */
export const valueUnder = (object: JsonObject, names: readonly string[]): unknown => {
  const present = names.filter((name) => Object.hasOwn(object, name));
  const telling = present.find((name) => object[name] !== null) ?? present[0];
  return telling === undefined ? undefined : object[telling];
};

/** The names that fields are accepted under: what else an object holds is further fields. */
export const namesOf = (fields: Fields): string[] =>
  Object.values(fields).flatMap(({ names }) => names);

/** Reads the fields of a thing; what cannot be right goes to `odd` under the field's own name. */
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
