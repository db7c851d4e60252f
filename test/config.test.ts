import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Overrides, readConfig } from '../src/config.ts';
import { rangeMs } from '../src/durations.ts';
import { Secret } from '../src/secret.ts';
import { SETTINGS } from '../src/settings.ts';
import { freshFolder } from './support/fresh.ts';

const read = (env: NodeJS.ProcessEnv, overrides: Overrides = {}, cwd = freshFolder()) => {
  const warnings: string[] = [];
  const config = readConfig(overrides, env, cwd, (sentence) => warnings.push(sentence));
  return { config, warnings };
};

test('without anything set, the defaults of the beta tier hold', () => {
  const cwd = freshFolder();
  const { config, warnings } = read({}, {}, cwd);
  expect(config).toMatchObject({
    baseUrl: undefined,
    ratePerMinute: 60,
    callsPerMonth: 50_000,
    platforms: ['tiktok', 'instagram', 'youtube'],
    dataDir: join(cwd, 'data'),
    timezone: 'UTC',
  });
  expect(warnings).toEqual([]);
});

test('flags win over the environment, the environment over the file, the file over defaults', () => {
  const cwd = freshFolder();
  writeFileSync(
    join(cwd, 'trendlake.config.json'),
    JSON.stringify({ listItems: 10, growthCalls: 11, creatorCalls: 12, platforms: ['tiktok'] }),
  );
  const env = { TRENDLAKE_GROWTH_CALLS: '21', TRENDLAKE_CREATOR_CALLS: '22' };
  const { config } = read(env, { creatorCalls: '32' }, cwd);
  expect([config.listItems, config.growthCalls, config.creatorCalls]).toEqual([10, 21, 32]);
  expect(config.platforms).toEqual(['tiktok']);
});

describe('a value that cannot be right is refused, naming the setting and what was expected', () => {
  test.each([
    ['TRENDLAKE_BASE_URL', 'ftp://x/v1', /an http or https address that ends in \/v1/],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com', /ends in \/v1/],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com/v2', /ends in \/v1/],
    ['TRENDLAKE_API_KEY', 'two words', /without blanks/],
    ['TRENDLAKE_TIER', 'gold', /one of beta, scale, enterprise; it is "gold"/],
    ['TRENDLAKE_RATE_PER_MINUTE', '0', /a whole number from 1/],
    ['TRENDLAKE_RATE_PER_MINUTE', '1.5', /a whole number/],
    ['TRENDLAKE_CALLS_PER_MONTH', 'many', /a whole number/],
    ['TRENDLAKE_QUOTA_RESET', 'anchor:32', /anchor:<day of the month, 1 to 31>/],
    ['TRENDLAKE_PLATFORMS', 'tiktok,vimeo', /a comma list of tiktok, instagram, youtube/],
    ['TRENDLAKE_PLATFORMS', ',', /a comma list/],
    ['TRENDLAKE_TIMEZONE', 'Mars/Olympus', /an IANA time zone/],
    ['TRENDLAKE_FEED_RANGE', '367d', /at most 366 days/],
    ['TRENDLAKE_HASHTAG_RANGE', '0d', /a span such as/],
    ['TRENDLAKE_CONCURRENCY', '65', /a whole number from 1 to 64/],
  ])('%s=%s', (name, value, expected) => {
    expect(() => read({ [name]: value })).toThrow(expected);
    expect(() => read({ [name]: value })).toThrow(name);
  });

  test('an unreadable file names itself', () => {
    const cwd = freshFolder();
    const path = join(cwd, 'trendlake.config.json');
    for (const text of ['{', '[]', '"x"']) {
      writeFileSync(path, text);
      expect(() => read({}, {}, cwd)).toThrow(path);
    }
  });

  test('enterprise needs both numbers', () => {
    expect(() => read({ TRENDLAKE_TIER: 'enterprise', TRENDLAKE_RATE_PER_MINUTE: '9' })).toThrow(
      /set both TRENDLAKE_RATE_PER_MINUTE and TRENDLAKE_CALLS_PER_MONTH/,
    );
  });
});

test('a name nobody knows is a warning, not a stop', () => {
  const cwd = freshFolder();
  writeFileSync(join(cwd, 'trendlake.config.json'), '{"colour": "red"}');
  const { warnings } = read({ TRENDLAKE_COLOUR: 'red', TRENDLAKE_MODEL_X: 'y' }, {}, cwd);
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).toMatch(/TRENDLAKE_COLOUR.*colour/s);
});

describe('secrets', () => {
  const key = 'tl_live_very-secret';
  test('a key prints as [hidden] however it is printed', () => {
    const { config } = read({ TRENDLAKE_API_KEY: ` ${key}\n` });
    expect(config.apiKey?.reveal()).toBe(key);
    const printed = [String(config.apiKey), JSON.stringify(config), inspect(config, { depth: 9 })];
    for (const text of printed) expect(text).not.toContain('very-secret');
    expect(inspect(new Secret(key))).toBe('[hidden]');
  });
  test.each([
    ['TRENDLAKE_API_KEY', 'very-secret \u00e9'],
    ['TRENDLAKE_BASE_URL', 'https://me:very-secret@api.example.com/v1'],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com/v1?key=very-secret'],
  ])('a refused %s is not repeated in the message', (name, value) => {
    let message = '';
    try {
      read({ [name]: value });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(name);
    expect(message).not.toContain('very-secret');
  });
});

test('spans', () => {
  expect(['24h', '7d', '2w', '366d'].map(rangeMs)).toEqual(
    [24, 168, 336, 366 * 24].map((hours) => hours * 3_600_000),
  );
  expect(['', '24', '0h', '1.5h', '-1d', '8785h', '24H', '1m'].map(rangeMs)).toEqual(
    Array(8).fill(undefined),
  );
});

test('every setting has its help, and its environment name follows from its name', () => {
  for (const [name, { env, help }] of Object.entries(SETTINGS)) {
    expect(env).toBe(`TRENDLAKE_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`);
    expect(help).toMatch(/\.$/);
  }
});
