import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SETTINGS, type Setting } from '../../../src/base/config/settings.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const KEY = 'tl_live_of_config_check';

const check = async (file: unknown, env: Record<string, string>, ...flags: string[]) => {
  const dataDir = freshFolder();
  const path = join(dataDir, 'trendlake.config.json');
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const args = ['config', 'check', '--config', path, ...flags];
  return { ...(await runCommand(args, { dataDir, env })), path };
};

interface Shown {
  readonly settings: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly origin: string;
    readonly where: string;
  }[];
  readonly keys: readonly unknown[];
}

test('config check shows each setting with its origin, and hides secrets', async () => {
  const file = {
    $schema: 'x',
    baseUrl: 'https://a.example/v1',
    apiKey: KEY,
    tier: 'scale',
    listItems: 300,
  };
  const env = { TRENDLAKE_TIER: 'beta', TRENDLAKE_RATE_PER_MINUTE: '7' };
  const { code, out, err, path } = await check(file, env, '--json');
  expect([code, err]).toEqual([0, '']);
  expect(out).not.toContain(KEY);
  const { settings } = JSON.parse(out) as Shown;
  const shown = (name: string) => {
    const { value, origin, where } = settings.find((each) => each.name === name) ?? {};
    return [value, origin, where];
  };
  expect(settings).toHaveLength(Object.keys(SETTINGS).length);
  expect(shown('apiKey')).toEqual(['(hidden)', 'file', `apiKey in ${path}`]);
  expect(shown('tier')).toEqual(['beta', 'environment', 'TRENDLAKE_TIER']);
  expect(shown('ratePerMinute')).toEqual(['7', 'environment', 'TRENDLAKE_RATE_PER_MINUTE']);
  expect(shown('callsPerMonth')).toEqual(['50000', 'tier', 'tier']);
  expect(shown('listItems')).toEqual(['300', 'file', `listItems in ${path}`]);
  expect(shown('timezone')).toEqual(['UTC', 'default', 'default']);
  expect(shown('modelUrl')).toEqual([null, 'default', 'default']);
});

test('config check refuses event thresholds that no rule has', async () => {
  const thresholds = { tiktok: { spike: { minGains: 5 } } };
  const { code, err } = await check({ eventThresholds: thresholds }, {});
  expect(code).toBe(2);
  expect(err).toContain('TRENDLAKE_EVENT_THRESHOLDS has the unknown field tiktok.spike.minGains');
});

test('config check prints what is set, and with several keys their variables', async () => {
  const keys = [
    { name: 'berlin', keyEnv: 'TRENDLAKE_KEY_BERLIN', ratePerMinute: 10, callsPerMonth: 100 },
    { name: 'rome', keyEnv: 'TRENDLAKE_KEY_ROME', ratePerMinute: 5, callsPerMonth: 50 },
  ];
  const file = { baseUrl: 'https://a.example/v1', keys };
  const { code, out, path } = await check(file, { TRENDLAKE_KEY_BERLIN: KEY });
  expect(code).toBe(0);
  expect(out).toMatch(/ratePerMinute │ 15 +│ keys/);
  expect(out).toContain('Key berlin: TRENDLAKE_KEY_BERLIN is set.');
  expect(out).toContain('Key rome: TRENDLAKE_KEY_ROME is not set.');
  expect(out).toContain(`file: ${path}`);
  expect(out).not.toContain('timezone');
  expect(out).not.toContain(KEY);
});

test('config check names every invalid setting', async () => {
  const { code, err } = await check({ listItems: 0, colour: 'red' }, { TRENDLAKE_TIER: 'gold' });
  expect(code).toBe(2);
  expect(err).toMatch(/3 settings are invalid/);
});

const schema = z.fromJSONSchema(
  JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../trendlake.config.schema.json'), 'utf8'),
  ),
);

const VALID = [
  {},
  { $schema: './x.json', platforms: ['tiktok'], listItems: 300, tier: 'scale' },
  { platforms: 'tiktok,youtube', listItems: '300', proxyWebhooks: true },
  { schedules: { feed: 'off' }, shares: { growth: 40 } },
  { upstream: { paging: { style: 'offset', first: 0 }, lists: { items: ['a', 'b.c'] } } },
  { keys: [{ name: 'a', keyEnv: 'TRENDLAKE_KEY_A', platforms: ['tiktok'] }] },
];
const INVALID = [
  { colour: 'red' },
  { tier: 'gold' },
  { listItems: 0 },
  { platforms: ['myspace'] },
  { schedules: { nap: 'off' } },
  { upstream: { paging: { style: 'scroll' } } },
  { keys: [{ name: 'a' }] },
];

test('the JSON Schema accepts valid settings and refuses the others', () => {
  expect(VALID.filter((file) => !schema.safeParse(file).success)).toEqual([]);
  expect(INVALID.filter((file) => schema.safeParse(file).success)).toEqual([]);
  const defaults = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
    name,
    setting.default,
  ]);
  expect(schema.safeParse(Object.fromEntries(defaults)).error).toBeUndefined();
});
