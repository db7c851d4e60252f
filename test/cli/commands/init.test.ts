import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startDialectUpstream } from '../../../fixtures/dialect-upstream.ts';
import { status } from '../../../fixtures/faults.ts';
import {
  type Fault,
  type FaultRule,
  respondJson,
  startFaultyUpstream,
} from '../../../fixtures/faulty-upstream.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

const FILE = 'trendlake.config.json';

const init = async (lines: readonly string[], ...flags: string[]) => {
  const dataDir = freshFolder();
  const input = Readable.from([lines.map((line) => `${line}\n`).join('')]);
  const done = await runCommand(['init', ...flags], { dataDir, input });
  return { ...done, dataDir, path: join(dataDir, FILE) };
};

const found: Fault = ({ response }) => respondJson(response, { items: [], total: 0, page: 1 });

const asked = async (rules: FaultRule[]) => {
  const upstream = await startFaultyUpstream(rules);
  const done = await init([upstream.baseUrl, KEY, '', 'tiktok, youtube']);
  await upstream.close();
  return { ...done, upstream };
};

test('asks, tries with one call, and writes a file that nobody else may read', async () => {
  const { code, err, path, dataDir, upstream } = await asked([{ on: /search/, fault: found }]);
  expect([code, err]).toEqual([0, '']);
  expect(upstream.arrivals).toHaveLength(1);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    $schema: expect.stringMatching(/^file:.*\/trendlake\.config\.schema\.json$/),
    baseUrl: upstream.baseUrl,
    apiKey: KEY,
    tier: 'beta',
    platforms: ['tiktok', 'youtube'],
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const counted = await runCommand(['query', 'select count(*) from calls', '--csv'], { dataDir });
  expect(counted.out).toBe('count(*)\n1');
});

test('a service that refuses: nothing is written, and the key is not said', async () => {
  const { code, out, err, path } = await asked([{ fault: status(401), times: 99 }]);
  expect([code, existsSync(path)]).toEqual([2, false]);
  expect(err).toMatch(/Nothing was written: the service could not be called/);
  expect(out + err).not.toContain(KEY);
});

test('an answer that cannot be right is asked again; a secret one is not repeated', async () => {
  const lines = ['nowhere', 'https://a.example/v1', 'two words', KEY, 'gold', 'enterprise'];
  const { code, err, path } = await init([...lines, '100', '9000', ''], '--no-try');
  expect(code).toBe(0);
  expect(err).toMatch(/ends in \/v1[\s\S]*without spaces[\s\S]*one of beta/);
  expect(err).not.toContain('two words');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    tier: 'enterprise',
    ratePerMinute: 100,
    callsPerMonth: 9000,
    platforms: ['tiktok', 'instagram', 'youtube'],
  });
});

test('answers that end too early write nothing; a file that is there stays', async () => {
  const { code, err, dataDir, path } = await init(['https://a.example/v1'], '--no-try');
  expect([code, existsSync(path)]).toEqual([2, false]);
  expect(err).toMatch(/answers ended/);
  const again = () =>
    runCommand(['init', '--no-try'], {
      dataDir,
      input: Readable.from([`https://a.example/v1\n${KEY}\n\n\n`]),
    });
  expect((await again()).code).toBe(0);
  const before = readFileSync(path, 'utf8');
  expect((await again()).err).toMatch(/already exists/);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a probe is offered: what it finds is written, too', async () => {
  const service = await startDialectUpstream(['words', 'offset', 'fraction']);
  try {
    const lines = [service.baseUrl, KEY, '', 'tiktok,instagram,youtube', 'yes'];
    const { code, err, path } = await init(lines);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      upstream: {
        platforms: { tiktok: 'tik-tok', instagram: 'reels', youtube: 'shorts' },
        paging: { style: 'offset' },
        engagementRate: 'fraction',
      },
    });
    expect(service.requests.length).toBeLessThanOrEqual(30);
  } finally {
    await service.close();
  }
});
