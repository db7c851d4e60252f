import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { openLake } from '../../src/lake/open.ts';
import { filler, hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(
    (into) => {
      for (let i = 0; i < 30; i++) into.video({ id: `tt_${i}`, snapshots: [[hoursAgo(2), i]] });
      into.video({ id: 'tt_soon', snapshots: [[NOW + 1000, 5]] });
    },
    { corsOrigins: ['https://app.example'] },
  );
});

const conditional = (etag: string) =>
  running.get('/feed/tiktok', {
    headers: { authorization: `Bearer ${running.key}`, 'if-none-match': etag },
  });

test('a response has its age; the same again is 304 with rate limits', async () => {
  const first = await running.get('/feed/tiktok');
  expect(first.headers.get('age')).toBe('7200');
  expect(first.headers.get('last-modified')).toBe('Tue, 10 Mar 2026 10:00:00 GMT');
  const again = await conditional(first.headers.get('etag') ?? '');
  expect(again.status).toBe(304);
  expect(again.text).toBe('');
  expect(again.headers.get('ratelimit')).toContain('"minute"');
  expect((await conditional('*')).status).toBe(304);
  expect((await conditional('"other", W/"x"')).status).toBe(200);
});

test('by its date alone, what changes with observations alone is 304, what a window moves is not', async () => {
  const since = async (path: string, date: string | undefined) => {
    const dated = date === undefined ? {} : { 'if-modified-since': date };
    const headers = { authorization: `Bearer ${running.key}`, ...dated };
    return running.get(path, { headers });
  };
  const date = (await since('/videos/tt_1', undefined)).headers.get('last-modified') ?? '';
  expect((await since('/videos/tt_1', date)).status).toBe(304);
  expect((await since('/videos/tt_1/growth', date)).status).toBe(304);
  const before = new Date(Date.parse(date) - 1000).toUTCString();
  const future = new Date(NOW + 5000).toUTCString();
  for (const other of [before, future, 'yesterday', ''])
    expect([other, (await since('/videos/tt_1', other)).status]).toEqual([other, 200]);
  expect((await since('/feed/tiktok', date)).status).toBe(200);
  const tagged = await running.get('/videos/tt_1', {
    headers: {
      authorization: `Bearer ${running.key}`,
      'if-modified-since': date,
      'if-none-match': '"x"',
    },
  });
  expect(tagged.status).toBe(200);
});

test('a snapshot that comes into view, and one that another process writes, are there at once', async () => {
  const before = await running.get('/feed/tiktok');
  expect(before.body.total).toBe(30);
  running.clock.advanceTo(NOW + 999);
  expect((await running.get('/feed/tiktok')).body).toMatchObject({
    total: 30,
    asOf: '2026-03-10T12:00:00.999Z',
  });
  running.clock.advanceTo(NOW + 1000);
  expect((await running.get('/feed/tiktok')).body.total).toBe(31);
  const lake = openLake(running.dataDir);
  filler(lake).video({ id: 'tt_new', snapshots: [[hoursAgo(1), 1]] });
  lake.close();
  const after = await running.get('/feed/tiktok');
  expect(after.body.total).toBe(32);
  expect((await conditional(before.headers.get('etag') ?? '')).status).toBe(200);
});

test('zstd or gzip where accepted, nothing else', async () => {
  const asked = (encoding: string): Promise<{ encoding: string | undefined; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const url = new URL(`${running.service.url}/feed/tiktok`);
      request(
        url,
        { headers: { authorization: `Bearer ${running.key}`, 'accept-encoding': encoding } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () =>
              resolve({
                encoding: answer.headers['content-encoding'],
                body: Buffer.concat(chunks),
              }),
            );
        },
      )
        .on('error', reject)
        .end();
    });
  const zipped = await asked('gzip, deflate');
  const plain = await asked('gzip;q=0');
  expect([zipped.encoding, plain.encoding]).toEqual(['gzip', undefined]);
  expect(gunzipSync(zipped.body).toString()).toBe(plain.body.toString());
  for (const accepted of ['zstd', 'gzip, deflate, br, zstd', 'zstd;q=0.5, gzip'])
    for (const _twice of [1, 2]) {
      const { encoding, body } = await asked(accepted);
      expect(encoding).toBe('zstd');
      expect(zstdDecompressSync(body).toString()).toBe(plain.body.toString());
    }
  expect((await asked('zstd;q=0, gzip')).encoding).toBe('gzip');
});

test('security headers everywhere, CORS for configured origins only', async () => {
  const got = await running.get('/nope');
  expect(got.headers.get('x-content-type-options')).toBe('nosniff');
  expect(got.headers.get('access-control-allow-origin')).toBeNull();
  const from = (origin: string) =>
    running.get('/feed/tiktok', { headers: { authorization: `Bearer ${running.key}`, origin } });
  expect((await from('https://app.example')).headers.get('access-control-allow-origin')).toBe(
    'https://app.example',
  );
  expect(
    (await from('https://evil.example')).headers.get('access-control-allow-origin'),
  ).toBeNull();
  const preflight = await running.get('/feed/tiktok', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-max-age')).toBe('7200');
  const { paths } = JSON.parse((await running.get('/openapi.json')).text) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const offered = new Set(Object.values(paths).flatMap((path) => Object.keys(path)));
  const allowed = preflight.headers.get('access-control-allow-methods')?.toLowerCase().split(',');
  expect(new Set(allowed)).toEqual(offered);
});

test('health needs no key and has the lag', async () => {
  const url = running.service.url.replace(/\/v1$/, '/health');
  const body = (await (await fetch(url)).json()) as Record<string, unknown>;
  expect(body).toMatchObject({ status: 'ok' });
  expect(body.lagSeconds).toBeTypeOf('number');
});

test('/health is 503 once the lake was deleted under the service', async () => {
  const missing = await runService((into) =>
    into.video({ id: 'tt_1', title: 'one', snapshots: [[hoursAgo(2), 5]] }),
  );
  rmSync(join(missing.dataDir, 'trendlake.db'));
  const response = await fetch(missing.service.url.replace(/\/v1$/, '/health'));
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ status: 'lake-missing' });
});
