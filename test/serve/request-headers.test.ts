import { OpenAPIHono, z } from '@hono/zod-openapi';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { ResponseCache } from '../../src/serve/cache/response-cache.ts';
import type { ServiceEnv } from '../../src/serve/request/context.ts';
import { getRoute } from '../../src/serve/request/describe.ts';
import { asOf } from '../../src/serve/request/parameters.ts';
import { respondGet } from '../../src/serve/request/respond-get.ts';
import { freshLake } from '../support/fresh.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(({ video, pulled }) => {
    const ids = Array.from({ length: 7 }, (_, n) => `tt_${n}`);
    for (const [n, id] of ids.entries()) video({ id, snapshots: [[hoursAgo(1), 1000 - n, 1]] });
    const ranks = ids.map((id, n) => ({ rank: n + 1, id }));
    const list = { list: 'feed', platform: 'tiktok', period: '24h' } as const;
    pulled({ ...list, at: hoursAgo(1), total: 7, ranks });
  });
});

describe('Link', () => {
  const FEED = '/feed/tiktok?dateRange=24h&limit=3';
  const linksOf = async (path: string) => {
    const { headers } = await running.get(path);
    const link = headers.get('link') ?? '';
    return Object.fromEntries(
      [...link.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, address, rel]) => [rel, address]),
    );
  };

  test.each([
    [1, { first: 1, next: 2, last: 3 }],
    [2, { first: 1, prev: 1, next: 3, last: 3 }],
    [3, { first: 1, prev: 2, last: 3 }],
    [9, { first: 1, prev: 3, last: 3 }],
  ])('of page %i, also from memory', async (page, pages) => {
    const expected = Object.fromEntries(
      Object.entries(pages).map(([rel, to]) => [
        rel,
        `/v1/feed/tiktok?dateRange=24h&limit=3&page=${to}`,
      ]),
    );
    for (let times = 0; times < 3; times++)
      expect(await linksOf(`${FEED}&page=${page}`)).toEqual(expected);
  });

  test('leads through the whole list', async () => {
    const ids: unknown[] = [];
    let path: string | undefined = FEED;
    while (path !== undefined) {
      const { body } = await running.get(path);
      ids.push(...body.items.map(({ id }) => id));
      const { next } = await linksOf(path);
      path = next?.replace(/^\/v1/, '');
    }
    expect(ids).toEqual(Array.from({ length: 7 }, (_, n) => `tt_${n}`));
  });

  test('is not sent for one video', async () => {
    expect((await running.get('/videos/tt_1')).headers.get('link')).toBeNull();
  });
});

test('every response has X-Request-Id: the one of the request, or a new one', async () => {
  const authorization = `Bearer ${running.key}`;
  const idOf = async (path: string, id?: string) => {
    const headers = id === undefined ? { authorization } : { authorization, 'x-request-id': id };
    return (await running.get(path, { headers })).headers.get('x-request-id');
  };
  expect(await idOf('/feed/tiktok', 'trace-1.a:b')).toBe('trace-1.a:b');
  expect(await idOf('/nothing', 'trace-2')).toBe('trace-2');
  const made = [await idOf('/feed/tiktok'), await idOf('/feed/tiktok', 'not allowed')];
  expect(made.every((id) => /^[0-9a-f-]{36}$/.test(id ?? ''))).toBe(true);
  expect(new Set(made).size).toBe(2);
});

test('the log has the id of the request', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const { service } = await runService(() => undefined, { log });
  await fetch(`${service.url}/feed/tiktok`, { headers: { 'x-request-id': 'trace-3' } });
  await expect.poll(() => lines.join('')).toContain('"requestId":"trace-3"');
});

describe('Idempotency-Key', () => {
  const post = async (path: string, body: unknown, key?: string, authKey = running.key) => {
    const {
      status,
      headers,
      body: got,
    } = await running.get(path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${authKey}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
    return { status, replayed: headers.get('idempotency-replayed'), body: got };
  };
  const hook = (name: string) => ({ url: `https://receiver.example/${name}` });
  const total = async () => (await running.get('/webhooks')).body.total;

  test('a repeated POST of a subscription returns the same one', async () => {
    const before = Number(await total());
    const [one, two] = await Promise.all([
      post('/webhooks', hook('one'), 'key-1'),
      post('/webhooks', hook('one'), 'key-1'),
    ]);
    const again = await post('/webhooks', hook('one'), 'key-1');
    expect([one?.status, two?.status, again.status]).toEqual([201, 201, 201]);
    expect(two?.body).toEqual(one?.body);
    expect(again).toEqual({ status: 201, replayed: 'true', body: one?.body });
    expect(await total()).toBe(before + 1);
    expect((await post('/webhooks', hook('one'))).status).toBe(400); // subscribed already
    const ofOther = await post('/webhooks', hook('one'), 'key-1', running.newKey());
    expect(ofOther.status).toBe(201);
    expect(ofOther.body.id).not.toBe(one?.body.id);
  });

  test('a key that is used with another body, or cannot be one, is refused', async () => {
    await post('/webhooks', hook('two'), 'key-2');
    const other = await post('/webhooks', { url: 'https://other.example/hook' }, 'key-2');
    expect([other.status, other.body.errors]).toEqual([
      400,
      [expect.objectContaining({ parameter: 'Idempotency-Key' })],
    ]);
    expect((await post('/webhooks', hook('x'), 'two words')).status).toBe(400);
  });

  test('a refused request can be corrected with the same key', async () => {
    expect((await post('/webhooks', { url: 'nowhere' }, 'key-3')).status).toBe(400);
    expect((await post('/webhooks', hook('three'), 'key-3')).status).toBe(201);
  });

  test('a watch and an analysis take it, too', async () => {
    const wish = { subject: '@someone', kind: 'creator', platform: 'tiktok' };
    const watch = await post('/watches', wish, 'key-4');
    expect(await post('/watches', wish, 'key-4')).toEqual({ ...watch, replayed: 'true' });
    const analysis = await post('/lab/analyze', { id: 'tt_1' }, 'key-5');
    expect(await post('/lab/analyze', { id: 'tt_1' }, 'key-5')).toEqual({
      ...analysis,
      replayed: 'true',
    });
  });

  test('a day later the key is free again', async () => {
    const first = await post('/webhooks', hook('six'), 'key-6');
    await running.clock.sleep(25 * 3_600_000);
    const later = await post('/webhooks', hook('seven'), 'key-6');
    expect([first.status, later.status]).toEqual([201, 201]);
  });
});

test('a route whose end is announced says so in its headers and the OpenAPI document', async () => {
  const app = new OpenAPIHono<ServiceEnv>();
  const route = getRoute({
    path: '/old',
    operationId: 'getOld',
    summary: 'An old list',
    deprecation: { since: '2026-01-01', sunset: '2026-07-01' },
    query: { asOf },
    response: z.object({}),
    read: () => ({ body: {}, asOf: NOW, observedAt: null }),
  });
  const lake = freshLake();
  const responses = new ResponseCache(new LakeCache(1));
  respondGet(app, { lake, responses, now: () => NOW }, route);
  const sent: Record<string, string> = {};
  const outgoing = { setHeader: (name: string, value: string) => (sent[name] = value) };
  const response = await app.request('/old', {}, {
    outgoing,
    incoming: { url: '/old' },
    exchange: {},
  } as never);
  expect(response.status).toBe(200);
  expect(sent).toEqual({ deprecation: '@1767225600', sunset: 'Wed, 01 Jul 2026 00:00:00 GMT' });
  const document = app.getOpenAPIDocument({ openapi: '3.1.0', info: { title: '', version: '1' } });
  expect(document.paths['/old']?.get?.deprecated).toBe(true);
});
