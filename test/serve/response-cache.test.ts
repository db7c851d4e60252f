import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { ResponseCache } from '../../src/serve/cache/response-cache.ts';
import { write } from '../../src/serve/http/written-response.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { runService } from './running.ts';

test('a response from memory that cannot be counted is 503, and the service goes on', async () => {
  const running = await runService((into) =>
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 5]] }),
  );
  expect((await running.get('/feed/tiktok')).status).toBe(200);
  const other = new Database(join(running.dataDir, 'service.db'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const asked = Array.from({ length: 8 }, () => running.get('/feed/tiktok'));
  for (const { status, body } of await Promise.all(asked))
    expect([status, body.type]).toEqual([503, '/problems/unavailable']);
  other.exec('rollback');
  expect((await running.get('/feed/tiktok')).status).toBe(200);
});

test('while another process writes the keys, requests wait and what needs none is answered', async () => {
  const running = await runService((into) =>
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 5]] }),
  );
  const other = new Database(join(running.dataDir, 'service.db'));
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const asked = Array.from({ length: 8 }, () => running.get('/feed/tiktok'));
  expect((await fetch(new URL('/health', running.service.url))).status).toBe(200);
  other.exec('rollback');
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect((await running.get('/usage')).body.minute).toMatchObject({ used: 9 });
});

test('an address that leads elsewhere on the way asks for the scope of where it ends', async () => {
  const running = await runService((into) =>
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 5]] }),
  );
  const statusFor = async (key: string): Promise<number | undefined> => {
    const sent = request(running.service.url, {
      path: '/v1/lab/../feed/tiktok', // as it is: fetch would resolve it
      headers: { authorization: `Bearer ${key}` },
    }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer.resume().statusCode;
  };
  const lab = running.newKey({ scopes: ['lab'] });
  expect(await statusFor(lab)).toBe(403);
  expect(await statusFor(running.key)).toBe(200);
  expect(await statusFor(lab)).toBe(403);
});

test.each(['/videos/tt_1', '/videos/tt_1/growth', '/feed/tiktok', '/search?q=x'])(
  '%s asked again is true at its own instant, however the clock moves between',
  async (path) => {
    let now = NOW;
    const running = await runService(
      (into) => into.video({ id: 'tt_1', title: 'x', snapshots: [[hoursAgo(2), 5]] }),
      { at: () => now++ },
    );
    const asOf = async () => Date.parse(String((await running.get(path)).body.asOf));
    const [first, second, third] = [await asOf(), await asOf(), await asOf()];
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  },
);

/** A cache of responses of one moment: `keep` as after each response, `isKept` by address. */
const remembering = () => {
  const cache = new ResponseCache(new LakeCache(6_000_000));
  const moment = { version: 1, at: NOW };
  const written = write({
    body: { items: ['x'.repeat(14_000)] },
    asOf: NOW,
    observedAt: null,
  });
  const valid = { version: 1, from: NOW, until: NOW + 1, isOfItsInstant: true, written };
  const keep = (address: string): void => cache.keep(address, valid);
  const isKept = (address: string): boolean => cache.find(address, () => moment) !== undefined;
  return { cache, keep, isKept };
};

test.each([
  ['written to', { version: 2, at: NOW }],
  ['asked before its instant', { version: 1, at: NOW - 1 }],
  ['asked when it no longer holds', { version: 1, at: NOW + 1 }],
])('a response is not given again where the lake was %s', (_, moment) => {
  const { cache, keep, isKept } = remembering();
  keep('/a');
  expect(isKept('/a')).toBe(true);
  expect(cache.find('/a', () => moment)).toBeUndefined();
  expect(isKept('/a')).toBe(false);
});

test('responses asked for longest ago are dropped first', () => {
  const { keep, isKept } = remembering();
  const address = (number: number): string => `/v1/feed/tiktok?${number}`;
  for (let number = 0; number < 1000; number++) {
    keep(address(number));
    expect(isKept(address(0))).toBe(true);
  }
  expect([0, 500, 999].map((number) => isKept(address(number)))).toEqual([true, false, true]);
});

/** Memory blocks behind some buffers: a slice keeps its whole block. */
const blocksOf = (buffers: readonly Buffer[]): number =>
  [...new Set(buffers.map(({ buffer }) => buffer))].reduce(
    (sum, { byteLength }) => sum + byteLength,
    0,
  );

test('responses in memory take no more than the bound of the cache, compressed copies included', () => {
  const bound = 1_000_000;
  const cache = new ResponseCache(new LakeCache(bound));
  const addresses = Array.from({ length: 1000 }, (_, number) => `/v1/videos/tt_${number}/growth`);
  const text = createHash('sha512').update('growth').digest('hex').repeat(20);
  const content = { body: { text }, asOf: NOW, observedAt: null };
  const valid = { version: 1, from: NOW, until: NOW + 9, isOfItsInstant: true };
  const moment = { version: 1, at: NOW };
  for (const address of addresses) {
    cache.keep(address, { ...valid, written: write(content) });
    const response = cache.find(address, () => moment);
    response?.at(NOW + 1);
    response?.bytes('zstd');
  }
  const kept = addresses.flatMap((address) => cache.find(address, () => moment) ?? []);
  const buffers = kept.flatMap((response) =>
    ([null, 'zstd'] as const).map((coding) => response.bytes(coding)),
  );
  expect(kept.length).toBeGreaterThan(100);
  expect(blocksOf(buffers.map(({ bytes }) => bytes))).toBeLessThanOrEqual(bound);
});
