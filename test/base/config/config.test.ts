import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Overrides, readConfig } from '../../../src/base/config/config.ts';
import { SETTINGS } from '../../../src/base/config/settings.ts';
import { rangeMs } from '../../../src/base/durations.ts';
import { UsageError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { freshFolder } from '../../support/fresh.ts';

const read = (env: NodeJS.ProcessEnv, flags: Overrides = {}, cwd = freshFolder()) =>
  readConfig({ flags, env, cwd });

/** Error message for invalid settings. */
const refusal = (env: NodeJS.ProcessEnv, cwd = freshFolder()): string => {
  try {
    read(env, {}, cwd);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
};

const configFile = (text: string, mode = 0o600): { cwd: string; path: string } => {
  const cwd = freshFolder();
  const path = join(cwd, 'trendlake.config.json');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { cwd, path };
};

test('uses the defaults of the beta tier if nothing is set', () => {
  const cwd = freshFolder();
  expect(read({}, {}, cwd)).toMatchObject({
    baseUrl: undefined,
    ratePerMinute: 60,
    callsPerMonth: 50_000,
    platforms: ['tiktok', 'instagram', 'youtube'],
    dataDir: join(cwd, 'data'),
    timezone: 'UTC',
  });
});

test('prefers flags to the environment, the file and the defaults, in this order', () => {
  const { cwd } = configFile(
    JSON.stringify({ listItems: 10, growthCalls: 11, creatorCalls: 12, platforms: ['tiktok'] }),
  );
  const env = { TRENDLAKE_GROWTH_CALLS: '21', TRENDLAKE_CREATOR_CALLS: '22' };
  const config = read(env, { creatorCalls: '32' }, cwd);
  expect([config.listItems, config.growthCalls, config.creatorCalls]).toEqual([10, 21, 32]);
  expect(config.platforms).toEqual(['tiktok']);
});

describe('refuses invalid values and names the setting and the expected value', () => {
  test.each([
    ['TRENDLAKE_BASE_URL', 'ftp://x/v1', /an http or https address that ends in \/v1/],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com', /ends in \/v1/],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com/v2', /ends in \/v1/],
    ['TRENDLAKE_API_KEY', 'two words', /without spaces/],
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

  test.each(['{', '[]', '"x"'])('names the invalid file that contains %s', (text) => {
    const { cwd, path } = configFile(text);
    expect(refusal({}, cwd)).toContain(path);
  });

  test('enterprise needs both numbers', () => {
    expect(() => read({ TRENDLAKE_TIER: 'enterprise', TRENDLAKE_RATE_PER_MINUTE: '9' })).toThrow(
      /set both TRENDLAKE_RATE_PER_MINUTE and TRENDLAKE_CALLS_PER_MONTH/,
    );
  });
});

describe('refuses unknown names', () => {
  test.each([
    ['TRENDLAKE_BASEURL', 'TRENDLAKE_BASE_URL'],
    ['TRENDLAKE_APIKEY', 'TRENDLAKE_API_KEY'],
    ['TRENDLAKE_PLATFORM', 'TRENDLAKE_PLATFORMS'],
    ['TRENDLAKE_MODEL_ULR', 'TRENDLAKE_MODEL_URL'],
  ])('suggests for %s: %s', (name, meant) => {
    expect(refusal({ [name]: 'x' })).toMatch(new RegExp(`${name} is not .* mean ${meant}\\?`));
  });

  test('in the configuration file', () => {
    const { cwd, path } = configFile('{"listitem": 10}');
    expect(refusal({}, cwd)).toBe(
      `${path} sets listitem, which is not a setting. Did you mean listItems?`,
    );
  });

  test('without a suggestion if no known name is similar', () => {
    expect(refusal({ TRENDLAKE_QQQQQQQQQ: 'x' })).toBe(
      'TRENDLAKE_QQQQQQQQQ is not a setting of trendlake.',
    );
  });
});

test('reports all invalid settings at once', () => {
  const { cwd } = configFile('{"colour": "red"}');
  const env = { TRENDLAKE_TIER: 'gold', TRENDLAKE_API_KEY: 'k', TRENDLAKE_TIMEZONE: 'Mars' };
  const stated = refusal(env, cwd).split('\n');
  expect(stated[0]).toBe('4 settings are invalid:');
  expect(stated.slice(1).join()).toMatch(/colour.*TIER.*TIMEZONE.*BASE_URL is not/);
});

test.each([
  ['a key without the address it belongs to', { TRENDLAKE_API_KEY: 'k' }, /BASE_URL is not/],
  ['a model without a name', { TRENDLAKE_MODEL_URL: 'http://a/v1' }, /both TRENDLAKE_MODEL_URL/],
  ['a model without an address', { TRENDLAKE_MODEL_NAME: 'tiny' }, /both TRENDLAKE_MODEL_URL/],
])('refuses %s', (_, env, expected) => {
  expect(refusal(env)).toMatch(expected);
});

test('refuses a missing --config file', () => {
  const { cwd, path } = configFile('{"listItems": 7}');
  const elsewhere = { env: {}, cwd: freshFolder() };
  expect(readConfig({ ...elsewhere, file: path }).listItems).toBe(7);
  expect(readConfig({ env: {}, cwd, file: 'trendlake.config.json' }).listItems).toBe(7);
  expect(() => readConfig({ ...elsewhere, file: 'none.json' })).toThrow(
    /does not exist\. Check --config/,
  );
});

describe('refuses a file that others can write', () => {
  test.each([0o666, 0o602, 0o646])('refuses mode %o', (mode) => {
    const { cwd, path } = configFile('{}', mode);
    expect(refusal({}, cwd)).toMatch(/every user can write it.*chmod 600/);
    chmodSync(path, 0o600);
    expect(refusal({}, cwd)).toBe('');
  });
  test("accepts a file that the user's own group can write", () => {
    expect(refusal({}, configFile('{}', 0o664).cwd)).toBe('');
  });
  test.runIf(process.getuid?.() === 0)('refuses files of another user or group', () => {
    const { cwd, path } = configFile('{}', 0o660);
    chownSync(path, 0, 4242);
    expect(refusal({}, cwd)).toMatch(/group 4242 can write it/);
    chownSync(path, 4242, 0);
    expect(refusal({}, cwd)).toMatch(/another user \(4242\)/);
  });
});

test('reads a price with or without a currency', () => {
  const price = (text: string) => read({ TRENDLAKE_PRICE_PER_1000: text }).pricePer1000;
  expect(price('4.50')).toEqual({ per1000: 4.5, currency: '' });
  expect(price('4.50 EUR')).toEqual({ per1000: 4.5, currency: 'EUR' });
  expect(price('3€')).toEqual({ per1000: 3, currency: '€' });
  for (const text of ['', '-1', '1e3', 'free', '1,000', '4 euros'])
    if (text !== '') expect(refusal({ TRENDLAKE_PRICE_PER_1000: text })).toMatch(/an amount/);
});

describe('secrets', () => {
  const key = 'tl_live_very-secret';
  test('prints a key as [hidden]', () => {
    const config = read({ TRENDLAKE_BASE_URL: 'http://a/v1', TRENDLAKE_API_KEY: ` ${key}\n` });
    expect(config.apiKey?.reveal()).toBe(key);
    const printed = [String(config.apiKey), JSON.stringify(config), inspect(config, { depth: 9 })];
    for (const text of printed) expect(text).not.toContain('very-secret');
    expect(inspect(new Secret(key))).toBe('[hidden]');
  });
  test.each([
    ['TRENDLAKE_API_KEY', 'very-secret \u00e9'],
    ['TRENDLAKE_HOOK_SECRET', 'very-secret with blanks'],
    ['TRENDLAKE_MODEL_KEY', 'very-secret with blanks'],
    ['TRENDLAKE_BASE_URL', 'https://me:very-secret@api.example.com/v1'],
    ['TRENDLAKE_BASE_URL', 'https://:very-secret@api.example.com/v1'],
    ['TRENDLAKE_BASE_URL', 'https://me:very/secret:very-secret@api.example.com/v2'],
    ['TRENDLAKE_BASE_URL', 'https://api.example.com/v1?key=very-secret'],
    ['TRENDLAKE_MODEL_URL', 'https://me:very-secret@models.example.com/v1'],
    ['TRENDLAKE_MODEL_URL', 'me:very-secret@models.example.com'],
  ])('does not quote a refused %s: %s', (name, value) => {
    const message = refusal({ [name]: value, TRENDLAKE_MODEL_NAME: 'tiny' });
    expect(message).toContain(name);
    expect(message).not.toContain('very-secret');
  });

  test('marks every secret setting', () => {
    const given = Object.entries(SETTINGS).filter(([, { read: of }]) => {
      const parsed = of('aaaaaaaaaaaaaaaaaaaaaaaa');
      return 'value' in parsed && parsed.value instanceof Secret;
    });
    expect(given.map(([name, setting]) => [name, 'secret' in setting])).toEqual([
      ['apiKey', true],
      ['hookSecret', true],
      ['modelKey', true],
      ['notify', true],
      ['afterSync', true],
    ]);
  });

  test.each([
    '{"apiKey": tl_live_very-secret}',
    '{"apiKey": "tl_live_very-secret" "baseUrl": 1}',
    'tl_live_very-secret',
    '{"apiKey": "tl_live_very-secret\n"}',
  ])('does not quote a file with invalid JSON: %j', (text) => {
    const { cwd, path } = configFile(text);
    const message = refusal({}, cwd);
    expect(message).toContain(`${path} is not valid JSON`);
    expect(message.replaceAll(path, '')).not.toMatch(/tl_|very|secret/);
  });
});

test('reads time spans', () => {
  expect(['24h', '7d', '2w', '366d'].map(rangeMs)).toEqual(
    [24, 168, 336, 366 * 24].map((hours) => hours * 3_600_000),
  );
  expect(['', '24', '0h', '1.5h', '-1d', '8785h', '24H', '1m'].map(rangeMs)).toEqual(
    Array(8).fill(undefined),
  );
});

test('gives every setting a help text and the environment name of its name', () => {
  for (const [name, { env, help }] of Object.entries(SETTINGS)) {
    expect(env).toBe(`TRENDLAKE_${name.replace(/[A-Z]|\d+/g, (c) => `_${c}`).toUpperCase()}`);
    expect(help).toMatch(/\.$/);
  }
});

describe('several keys', () => {
  const withKeys = (keys: unknown, more: object = {}) =>
    configFile(JSON.stringify({ baseUrl: 'https://a.example/v1', keys, ...more }));
  const berlin = { name: 'berlin', keyEnv: 'TRENDLAKE_KEY_BERLIN' };

  test('inherit the settings unless they override them', () => {
    const oslo = {
      name: 'oslo',
      keyEnv: 'OSLO',
      baseUrl: 'https://b.example/v1/',
      tier: 'scale',
      platforms: ['youtube'],
      quotaReset: 'rolling',
    };
    const { cwd } = withKeys([berlin, oslo]);
    // long enough that no folder's random name holds it by chance
    const secret = 'tl_live_key-of-berlin';
    const config = read({ TRENDLAKE_KEY_BERLIN: secret, OSLO: '' }, {}, cwd);
    expect(config.keys).toMatchObject([
      {
        name: 'berlin',
        baseUrl: 'https://a.example/v1',
        quotaReset: 'calendar',
        ratePerMinute: 60,
        callsPerMonth: 50_000,
        platforms: ['tiktok', 'instagram', 'youtube'],
      },
      {
        name: 'oslo',
        baseUrl: 'https://b.example/v1',
        quotaReset: 'rolling',
        ratePerMinute: 300,
        callsPerMonth: 500_000,
        platforms: ['youtube'],
      },
    ]);
    expect(config.keys.map(({ apiKey }) => apiKey?.reveal())).toEqual([secret, undefined]);
    expect([config.ratePerMinute, config.callsPerMonth]).toEqual([360, 550_000]);
    expect(inspect(config, { depth: 9 })).not.toContain(secret);
  });

  test('are refused with all errors at once and no secret', () => {
    const { cwd } = withKeys([
      { name: 'Berlin', keyEnv: 'tl_live_secret', tiers: 'beta' },
      { name: 'oslo', tier: 'gold', ratePerMinute: 0 },
      'x',
    ]);
    const message = refusal({}, cwd);
    for (const expected of [
      /name of key 1 in .* must be 1 to 63 characters.*it is "Berlin"/,
      /keyEnv of key 1 in .* must be the name of an environment variable.*not shown here/,
      /key 1 in .* has the unknown field tiers. Did you mean tier\?/,
      /tier of key oslo in .* must be one of/,
      /ratePerMinute of key oslo in .* must be a whole number/,
      /key oslo in .* has no keyEnv/,
      /key 3 in .* must be an object/,
    ])
      expect(message).toMatch(expected);
    expect(message).not.toContain('tl_live');
  });

  test.each([
    ['none', [], {}, /keys in .* must be a list such as .* with at least one key/],
    ['no list', { berlin }, {}, /must be a list/],
    ['one name twice', [berlin, { ...berlin, keyEnv: 'B' }], {}, /Two keys .* the name berlin/],
    ['one variable twice', [berlin, { ...berlin, name: 'b' }], {}, /Two keys .* keyEnv TRENDLAKE/],
    [
      'a platform without a key',
      [{ ...berlin, platforms: ['tiktok'] }],
      {},
      /No key .* instagram or y/,
    ],
    ['a key beside them', [berlin], { TRENDLAKE_API_KEY: 'k' }, /Unset it, or add it to keys/],
    [
      'one key under two names',
      [berlin, { name: 'oslo', keyEnv: 'OSLO', baseUrl: 'https://b.example/v1' }],
      { TRENDLAKE_KEY_BERLIN: 'tl_live_1', OSLO: 'tl_live_1' },
      /^(?!.*tl_live_1).*TRENDLAKE_KEY_BERLIN and OSLO hold the same key/s,
    ],
    ['a tier without numbers', [{ ...berlin, tier: 'enterprise' }], {}, /ratePerMinute and calls/],
    ['an invalid key', [berlin], { TRENDLAKE_KEY_BERLIN: 'a b' }, /BERLIN must be printable/],
  ])('%s: refused', (_, keys, env, expected) => {
    expect(refusal(env as NodeJS.ProcessEnv, withKeys(keys).cwd)).toMatch(expected);
  });

  test('beside a key in the same file are refused', () => {
    const message = refusal({}, withKeys([berlin], { apiKey: 'tl_live_1' }).cwd);
    expect(message).toMatch(/has both apiKey and keys\. Remove apiKey/);
    expect(message).not.toContain('tl_live_1');
  });

  test.each([
    [
      'taken out with all of them',
      undefined,
      'LONDON',
      'If you have a single key, set TRENDLAKE_API_KEY.',
    ],
    ['taken out alone', [berlin], 'LONDON', 'or add it there.'],
    ['mistyped', [berlin], 'BERLN', 'Did you mean TRENDLAKE_KEY_BERLIN?'],
  ])('explains the variable of a key that was %s', (_, keys, name, end) => {
    const { cwd } = withKeys(keys);
    const message = refusal({ [`TRENDLAKE_KEY_${name}`]: 'tl_live_1' }, cwd);
    expect(message).toContain(
      `TRENDLAKE_KEY_${name} is set but no key in ${join(cwd, 'trendlake.config.json')} has it as keyEnv. Unset it, or add it there.`,
    );
    expect(message.endsWith(end), message).toBe(true);
    expect(message).not.toContain('tl_live_1');
  });

  test('accept TRENDLAKE_API_KEY as keyEnv', () => {
    const { cwd } = withKeys([{ ...berlin, keyEnv: 'TRENDLAKE_API_KEY' }]);
    expect(read({ TRENDLAKE_API_KEY: 'k' }, {}, cwd).keys[0]?.apiKey?.reveal()).toBe('k');
  });
});

describe('words of the upstream', () => {
  const upstream = (value: unknown) => refusal({ TRENDLAKE_UPSTREAM: JSON.stringify(value) });

  test('are read from the environment and the file', () => {
    const words = { paging: { style: 'offset', first: 0 }, engagementRate: 'fraction' } as const;
    expect(read({}).upstream).toEqual({});
    expect(read({ TRENDLAKE_UPSTREAM: JSON.stringify(words) }).upstream).toEqual(words);
    const { cwd } = configFile(JSON.stringify({ upstream: words }));
    expect(read({}, {}, cwd).upstream).toEqual(words);
  });

  test.each([
    [{ pagin: {} }, /upstream has no field pagin\. Did you mean paging\?/],
    [
      { paging: { style: 'pages' } },
      /paging\.style must be page or offset or cursor, and is "pages"/,
    ],
    [{ paging: { style: 'cursor' } }, /paging\.cursor must be set/],
    [{ platforms: { instagram: 'shorts', youtube: 'shorts' } }, /platforms has "shorts" twice/],
    [{ platforms: { tik: 'x' } }, /platforms has no field tik/],
    [{ lists: { items: 'data..items' } }, /lists\.items must be a path such as "data\.items"/],
    [{ spentStatuses: [200] }, /spentStatuses must be a list of statuses from 400 to 599/],
    [[], /upstream must be an object/],
  ])('%j is refused', (value, message) => expect(upstream(value)).toMatch(message));
});
