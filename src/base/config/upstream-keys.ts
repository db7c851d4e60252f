import type { Platform } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { didYouMean } from '../nearest.ts';
import type { Secret } from '../secret.ts';
import { expected, type TextReader } from '../text-values.ts';
import { lakeName } from './setting-readers.ts';
import { asText, shownText } from './setting-text.ts';
import { SETTINGS } from './settings.ts';
import { TIERS, type Tier } from './tiers.ts';

export interface UpstreamKey {
  readonly name: string;
  readonly baseUrl: string;
  /** Environment variable of the key. */
  readonly keyEnv: string;
  /** Undefined if that variable is not set: no calls are possible, but past calls are shown. */
  readonly apiKey: Secret | undefined;
  readonly ratePerMinute: number;
  readonly callsPerMonth: number;
  readonly quotaReset: string;
  readonly platforms: readonly Platform[];
}

/** Defaults of a key, and the environment that holds the secrets. */
export interface KeySurroundings {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly baseUrl: string | undefined;
  readonly quotaReset: string;
  readonly platforms: readonly Platform[];
  /** Undefined: the tier has no fixed limits. */
  readonly ratePerMinute: number | undefined;
  readonly callsPerMonth: number | undefined;
}

/** Capitals only, so that a key written here by mistake is refused and not shown. */
const variableName: TextReader<string> = (text) =>
  /^[A-Z][A-Z0-9_]{0,99}$/.test(text)
    ? { value: text }
    : expected(
        'the name of an environment variable in capitals, digits and _, such as TRENDLAKE_KEY_BERLIN',
      );

/** Fields of an entry of `keys`. */
export const KEY_FIELDS = {
  name: lakeName,
  baseUrl: SETTINGS.baseUrl.read,
  keyEnv: variableName,
  tier: SETTINGS.tier.read,
  ratePerMinute: SETTINGS.ratePerMinute.read,
  callsPerMonth: SETTINGS.callsPerMonth.read,
  quotaReset: SETTINGS.quotaReset.read,
  platforms: SETTINGS.platforms.read,
} satisfies Record<string, TextReader<unknown>>;
const NAMES = Object.keys(KEY_FIELDS);

/** Reads the fields of one entry and adds errors to `problems`. */
class Entry {
  readonly where: string;
  readonly #fields: JsonObject;
  readonly #problems: string[];

  constructor(where: string, fields: JsonObject, problems: string[]) {
    this.where = where;
    this.#fields = fields;
    this.#problems = problems;
    for (const name of Object.keys(fields).filter((field) => !NAMES.includes(field)))
      problems.push(`${where} has the unknown field ${name}.${didYouMean(name, NAMES)}`);
  }

  read<T>(name: keyof typeof KEY_FIELDS, reader: TextReader<T>): T | undefined {
    const field = this.#fields[name];
    if (field === undefined || field === null) return undefined;
    const text = asText(field);
    const parsed = reader(text);
    if ('value' in parsed) return parsed.value;
    const shown = shownText(name === 'keyEnv', text);
    this.#problems.push(`${name} of ${this.where} must be ${parsed.expected}; ${shown}.`);
    return undefined;
  }

  /** True if the field is set, valid or not. */
  has(name: keyof typeof KEY_FIELDS): boolean {
    return (this.#fields[name] ?? null) !== null;
  }
}

const limitsOf = (
  entry: Entry,
  tier: Tier | undefined,
  around: KeySurroundings,
): { ratePerMinute: number | undefined; callsPerMonth: number | undefined } => {
  const ofTier = tier === undefined ? around : TIERS[tier];
  return {
    ratePerMinute: entry.read('ratePerMinute', KEY_FIELDS.ratePerMinute) ?? ofTier?.ratePerMinute,
    callsPerMonth: entry.read('callsPerMonth', KEY_FIELDS.callsPerMonth) ?? ofTier?.callsPerMonth,
  };
};

const readKey = (
  entry: Entry,
  around: KeySurroundings,
  problems: string[],
): UpstreamKey | undefined => {
  const { where } = entry;
  const before = problems.length;
  const name = entry.read('name', KEY_FIELDS.name);
  const keyEnv = entry.read('keyEnv', KEY_FIELDS.keyEnv);
  const baseUrl = entry.read('baseUrl', KEY_FIELDS.baseUrl) ?? around.baseUrl;
  const tier = entry.read('tier', KEY_FIELDS.tier);
  const limits = limitsOf(entry, tier, around);
  const quotaReset = entry.read('quotaReset', KEY_FIELDS.quotaReset) ?? around.quotaReset;
  const platforms = entry.read('platforms', KEY_FIELDS.platforms) ?? around.platforms;
  if (!entry.has('name')) problems.push(`${where} has no name. Set one, such as berlin.`);
  if (!entry.has('keyEnv'))
    problems.push(`${where} has no keyEnv. Set it to the environment variable of the key.`);
  if (baseUrl === undefined && !entry.has('baseUrl'))
    problems.push(`${where} has no baseUrl and TRENDLAKE_BASE_URL is not set. Set one of them.`);
  const written = env(around, keyEnv);
  const secret = written === undefined ? undefined : SETTINGS.apiKey.read(written);
  if (secret !== undefined && 'expected' in secret)
    problems.push(`${keyEnv} must be ${secret.expected}; its value is not shown here.`);
  const { ratePerMinute, callsPerMonth } = limits;
  if (problems.length === before && (ratePerMinute === undefined || callsPerMonth === undefined))
    problems.push(
      `${where} has tier enterprise, which has no fixed limits. Set its ratePerMinute and callsPerMonth to those of your contract.`,
    );
  if (name === undefined || keyEnv === undefined || baseUrl === undefined) return undefined;
  if (ratePerMinute === undefined || callsPerMonth === undefined) return undefined;
  const apiKey = secret !== undefined && 'value' in secret ? secret.value : undefined;
  return { name, baseUrl, keyEnv, apiKey, ratePerMinute, callsPerMonth, quotaReset, platforms };
};

const env = ({ env }: KeySurroundings, name: string | undefined): string | undefined => {
  const text = name === undefined ? undefined : env[name];
  return text === '' ? undefined : text;
};

const duplicateOf = (texts: readonly string[]): string | undefined =>
  texts.find((text, index) => texts.indexOf(text) < index);

/** Keys that are each valid but contradict each other. */
const conflictsOf = (keys: readonly UpstreamKey[], around: KeySurroundings): string[] => {
  const { path, platforms } = around;
  const name = duplicateOf(keys.map((key) => key.name));
  const variable = duplicateOf(keys.map(({ keyEnv }) => keyEnv));
  const secret = duplicateOf(keys.flatMap(({ apiKey }) => apiKey?.reveal() ?? []));
  const same = keys.filter(({ apiKey }) => secret !== undefined && apiKey?.reveal() === secret);
  const unserved = platforms.filter(
    (platform) => !keys.some((key) => key.platforms.includes(platform)),
  );
  const problems: string[] = [];
  if (name !== undefined)
    problems.push(`Two keys in ${path} have the name ${name}. Use a different name for each.`);
  if (variable !== undefined)
    problems.push(`Two keys in ${path} have the keyEnv ${variable}. Remove one of them.`);
  if (secret !== undefined && variable === undefined)
    problems.push(
      `${same.map(({ keyEnv }) => keyEnv).join(' and ')} hold the same key, so its limits would count twice. Set different keys, or remove all but one from ${path}.`,
    );
  if (unserved.length > 0 && keys.length > 0)
    problems.push(
      `No key in ${path} serves ${unserved.join(' or ')}. Add it to the platforms of a key, or remove it from TRENDLAKE_PLATFORMS.`,
    );
  return problems;
};

/** Environment variables of all keys. */
export const keyVariables = (given: unknown): string[] =>
  (Array.isArray(given) ? given : []).flatMap((fields: unknown) =>
    isObject(fields) && typeof fields.keyEnv === 'string' ? [fields.keyEnv] : [],
  );

/** Reads `keys` of the configuration file, in order. Problems never quote a variable's value. */
export const readKeys = (
  given: unknown,
  around: KeySurroundings,
): { readonly keys: readonly UpstreamKey[]; readonly problems: readonly string[] } => {
  if (given === undefined || given === null) return { keys: [], problems: [] };
  const { path } = around;
  if (!Array.isArray(given) || given.length === 0)
    return {
      keys: [],
      problems: [
        `keys in ${path} must be a list such as [{"name": "berlin", "keyEnv": "TRENDLAKE_KEY_BERLIN"}], with at least one key. Fix it or remove it.`,
      ],
    };
  const problems: string[] = [];
  const keys = given.flatMap((fields: unknown, index): UpstreamKey[] => {
    const named = isObject(fields) && typeof fields.name === 'string' ? fields.name : undefined;
    const known = named !== undefined && 'value' in lakeName(named);
    const where = `key ${known ? named : index + 1} in ${path}`;
    if (!isObject(fields)) {
      problems.push(`${where} must be an object such as {"name": ..., "keyEnv": ...}.`);
      return [];
    }
    const key = readKey(new Entry(where, fields, problems), around, problems);
    return key === undefined ? [] : [key];
  });
  const conflicts = keys.length === given.length ? conflictsOf(keys, around) : [];
  const only = env(around, 'TRENDLAKE_API_KEY');
  if (only !== undefined && !keyVariables(given).includes('TRENDLAKE_API_KEY'))
    problems.push(
      `TRENDLAKE_API_KEY is set and ${path} has keys. Unset it, or add it to keys as keyEnv.`,
    );
  return { keys, problems: [...problems, ...conflicts] };
};
