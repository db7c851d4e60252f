import type { Platform } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { didYouMean } from '../nearest.ts';
import type { Secret } from '../secret.ts';
import { expected, type TextReader } from '../text-values.ts';
import { lakeName } from './setting-readers.ts';
import { asText, shownText } from './setting-text.ts';
import { SETTINGS } from './settings.ts';
import { TIERS, type Tier } from './tiers.ts';

/** One of several keys of the service. */
export interface UpstreamKey {
  /** What it is called where its calls are counted and shown. */
  readonly name: string;
  readonly baseUrl: string;
  /** Name of the environment variable that holds it. */
  readonly keyEnv: string;
  /** Undefined where that variable is not set: nothing can be asked with it, its calls can be told. */
  readonly apiKey: Secret | undefined;
  readonly ratePerMinute: number;
  readonly callsPerMonth: number;
  readonly quotaReset: string;
  /** What is asked with it. */
  readonly platforms: readonly Platform[];
}

/** What holds for a key whose entry does not say otherwise, and where secrets are. */
export interface KeySurroundings {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  readonly baseUrl: string | undefined;
  readonly quotaReset: string;
  readonly platforms: readonly Platform[];
  /** Undefined: the tier has no numbers of its own. */
  readonly ratePerMinute: number | undefined;
  readonly callsPerMonth: number | undefined;
}

/** Capitals only: a key that was written here by mistake is refused, not looked up and shown. */
const variableName: TextReader<string> = (text) =>
  /^[A-Z][A-Z0-9_]{0,99}$/.test(text)
    ? { value: text }
    : expected(
        'the name of an environment variable in capitals, digits and _, such as TRENDLAKE_KEY_BERLIN',
      );

const FIELDS = {
  name: lakeName,
  baseUrl: SETTINGS.baseUrl.read,
  keyEnv: variableName,
  tier: SETTINGS.tier.read,
  ratePerMinute: SETTINGS.ratePerMinute.read,
  callsPerMonth: SETTINGS.callsPerMonth.read,
  quotaReset: SETTINGS.quotaReset.read,
  platforms: SETTINGS.platforms.read,
} satisfies Record<string, TextReader<unknown>>;
const NAMES = Object.keys(FIELDS);

/** The fields of one entry, by their readers; what is wrong is added to `problems`. */
class Entry {
  readonly where: string;
  readonly #fields: JsonObject;
  readonly #problems: string[];

  constructor(where: string, fields: JsonObject, problems: string[]) {
    this.where = where;
    this.#fields = fields;
    this.#problems = problems;
    for (const name of Object.keys(fields).filter((field) => !NAMES.includes(field)))
      problems.push(`${where} has ${name}, which no key has.${didYouMean(name, NAMES)}`);
  }

  read<T>(name: keyof typeof FIELDS, reader: TextReader<T>): T | undefined {
    const field = this.#fields[name];
    if (field === undefined || field === null) return undefined;
    const text = asText(field);
    const parsed = reader(text);
    if ('value' in parsed) return parsed.value;
    const shown = shownText(name === 'keyEnv', text);
    this.#problems.push(`${name} of ${this.where} must be ${parsed.expected}; ${shown}.`);
    return undefined;
  }

  /** True where something stands there, right or wrong. */
  has(name: keyof typeof FIELDS): boolean {
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
    ratePerMinute: entry.read('ratePerMinute', FIELDS.ratePerMinute) ?? ofTier?.ratePerMinute,
    callsPerMonth: entry.read('callsPerMonth', FIELDS.callsPerMonth) ?? ofTier?.callsPerMonth,
  };
};

const readKey = (
  entry: Entry,
  around: KeySurroundings,
  problems: string[],
): UpstreamKey | undefined => {
  const { where } = entry;
  const before = problems.length;
  const name = entry.read('name', FIELDS.name);
  const keyEnv = entry.read('keyEnv', FIELDS.keyEnv);
  const baseUrl = entry.read('baseUrl', FIELDS.baseUrl) ?? around.baseUrl;
  const tier = entry.read('tier', FIELDS.tier);
  const limits = limitsOf(entry, tier, around);
  const quotaReset = entry.read('quotaReset', FIELDS.quotaReset) ?? around.quotaReset;
  const platforms = entry.read('platforms', FIELDS.platforms) ?? around.platforms;
  if (!entry.has('name')) problems.push(`${where} has no name: give it one, such as berlin.`);
  if (!entry.has('keyEnv'))
    problems.push(`${where} has no keyEnv: name the environment variable that holds the key.`);
  if (baseUrl === undefined && !entry.has('baseUrl'))
    problems.push(`${where} has no baseUrl, and TRENDLAKE_BASE_URL is not set: whose key is it?`);
  const written = env(around, keyEnv);
  const secret = written === undefined ? undefined : SETTINGS.apiKey.read(written);
  if (secret !== undefined && 'expected' in secret)
    problems.push(`${keyEnv} must be ${secret.expected}; what is set is not shown here.`);
  const { ratePerMinute, callsPerMonth } = limits;
  if (problems.length === before && (ratePerMinute === undefined || callsPerMonth === undefined))
    problems.push(
      `${where} is of tier enterprise, which has no numbers of its own: give it ratePerMinute and callsPerMonth as your agreement says.`,
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

const twice = (texts: readonly string[]): string | undefined =>
  texts.find((text, index) => texts.indexOf(text) < index);

/** What keys that may be right each alone make wrong together. */
const disagreements = (keys: readonly UpstreamKey[], around: KeySurroundings): string[] => {
  const { path, platforms } = around;
  const [name, variable] = [twice(keys.map((key) => key.name)), twice(keys.map((k) => k.keyEnv))];
  const secret = twice(keys.flatMap(({ apiKey }) => apiKey?.reveal() ?? []));
  const same = keys.filter(({ apiKey }) => secret !== undefined && apiKey?.reveal() === secret);
  const unserved = platforms.filter(
    (platform) => !keys.some((key) => key.platforms.includes(platform)),
  );
  return [
    ...(name === undefined
      ? []
      : [`Two keys in ${path} have the name ${name}: give each its own.`]),
    ...(variable === undefined
      ? []
      : [`Two keys in ${path} have the keyEnv ${variable}: a key stands there once.`]),
    ...(secret === undefined || variable !== undefined
      ? []
      : [
          `${same.map(({ keyEnv }) => keyEnv).join(' and ')} hold the same key, whose minute and month would count once for each: set each to its own, or take all but one out of ${path}.`,
        ]),
    ...(unserved.length === 0 || keys.length === 0
      ? []
      : [
          `No key in ${path} has ${unserved.join(' or ')} among its platforms: add it to one, or leave it out of TRENDLAKE_PLATFORMS.`,
        ]),
  ];
};

/** Names of the variables that hold keys, as far as they can be told: they are settings, too. */
export const keyVariables = (given: unknown): string[] =>
  (Array.isArray(given) ? given : []).flatMap((fields: unknown) =>
    isObject(fields) && typeof fields.keyEnv === 'string' ? [fields.keyEnv] : [],
  );

/**
 * The keys that `keys` of the configuration file names, in its order; none where it has none. What is
 * wrong with them is told, all of it; never what stands in a variable.
 */
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
        `keys in ${path} must be a list such as [{"name": "berlin", "keyEnv": "TRENDLAKE_KEY_BERLIN"}], with at least one key; or leave it out.`,
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
  const whole = keys.length === given.length ? disagreements(keys, around) : [];
  const only = env(around, 'TRENDLAKE_API_KEY');
  if (only !== undefined && !keyVariables(given).includes('TRENDLAKE_API_KEY'))
    problems.push(
      `TRENDLAKE_API_KEY is set, and ${path} has keys: which one counts? Name it as the keyEnv of one of them, or unset it.`,
    );
  return { keys, problems: [...problems, ...whole] };
};
