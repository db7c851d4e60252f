import { PERIODS, PLATFORM_PREFIXES, PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import { isObject } from '../base/json-object.ts';
import type { Dialect } from './dialects.ts';

/** A request that a dialect refuses. */
export class DialectRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const theirsOf = (word: string, words: Readonly<Record<string, string>> | undefined): string =>
  words?.[word] ?? word;

/** Our word for a word of the dialect. @throws DialectRefusal */
export const oursOf = (
  word: string,
  {
    known,
    words,
    what,
    status,
  }: {
    known: readonly string[];
    words: Readonly<Record<string, string>> | undefined;
    what: string;
    status: number;
  },
  { isMute = false }: Dialect,
): string => {
  const found = known.find((name) => theirsOf(name, words) === word);
  if (found !== undefined) return found;
  const names = known.map((name) => theirsOf(name, words)).join(', ');
  throw new DialectRefusal(status, isMute ? 'Bad request.' : `Unknown ${what}. Known: ${names}.`);
};

const prefixOf = (platform: Platform, { prefixes }: Dialect): string =>
  prefixes?.[platform] ?? PLATFORM_PREFIXES[platform];

const theirId = (id: string, dialect: Dialect): string => {
  const platform = PLATFORMS.find((name) => id.startsWith(`${PLATFORM_PREFIXES[name]}_`));
  return platform === undefined
    ? id
    : prefixOf(platform, dialect) + id.slice(PLATFORM_PREFIXES[platform].length);
};

/** An id of the dialect in our words. */
export const ownId = (id: string, dialect: Dialect): string => {
  if (dialect.prefixes === undefined) return id;
  const platform = PLATFORMS.find((name) => id.startsWith(`${prefixOf(name, dialect)}_`));
  return platform === undefined
    ? `unknown-${id}`
    : PLATFORM_PREFIXES[platform] + id.slice(prefixOf(platform, dialect).length);
};

const COUNTS = ['views', 'likes', 'volume', 'followers', 'videoCount'];

/** A response's JSON in the words and units of a dialect, at every depth. */
export const spoken = (value: unknown, dialect: Dialect): unknown => {
  if (Array.isArray(value)) return value.map((member) => spoken(member, dialect));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, inner]): [string, unknown] => {
    if (name === 'id' && typeof inner === 'string') return [name, theirId(inner, dialect)];
    if (name === 'platform' && typeof inner === 'string')
      return [name, theirsOf(inner, dialect.platforms)];
    if (name === 'period' && typeof inner === 'string')
      return [name, theirsOf(inner, dialect.periods)];
    if (name === 'engagementRate' && typeof inner === 'number' && dialect.isFraction === true)
      return [name, inner / 100];
    if (COUNTS.includes(name) && typeof inner === 'number' && dialect.hasTextCounts === true)
      return [name, String(inner)];
    return [name, spoken(inner, dialect)];
  });
  return Object.fromEntries(fields);
};

/** Platforms as `oursOf` takes them. */
export const platformWords = ({ platforms: words }: Dialect, status: number) => ({
  known: PLATFORMS,
  words,
  what: 'platform',
  status,
});

/** The path in our words. @throws DialectRefusal */
export const ownPath = (path: readonly string[], dialect: Dialect): string[] => {
  const [resource = '', first = '', second = ''] = path;
  const platform = (): string => oursOf(first, platformWords(dialect, 404), dialect);
  if (resource === 'feed') return [resource, platform()];
  if (resource === 'creators') return [resource, platform(), second];
  if (resource === 'videos') return [resource, ownId(first, dialect), ...path.slice(2)];
  if (resource !== 'trends') return [...path];
  const words = { known: PERIODS, words: dialect.periods, what: 'period', status: 404 };
  return [resource, platform(), oursOf(second, words, dialect)];
};
