import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeEvents } from '../../../src/alerts/events/outbox.ts';
import { readHookSecret } from '../../../src/alerts/webhooks/hook-proof.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createKey, type Scope } from '../../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { startService } from '../../../src/serve/service.ts';
import type { ServiceOptions } from '../../../src/serve/service-options.ts';
import { freshLake } from '../events/made-lake.ts';
import { madeEvent } from './made-event.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** A service over a lake, and a function that requests it with its own key. */
const served = async (
  lake: Lake,
  hookSecret?: string,
  options: Pick<ServiceOptions, 'at'> = {},
) => {
  const service = await startService({
    dataDir: lake.dataDir,
    clock: systemClock,
    machine: systemClock,
    ...options,
    ...(hookSecret === undefined ? {} : { hookSecret: readHookSecret(hookSecret) }),
  });
  onTestFinished(service.close);
  const withKey = (scopes?: Scope[]) => {
    const db = openServiceDb(lake.dataDir);
    const wish = { useCase: 'test', ...(scopes === undefined ? {} : { scopes }) };
    const { key } = createKey(db, wish, systemClock.now());
    db.close();
    return async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    };
  };
  return { withKey, url: service.url, origin: service.url.replace('/v1', '') };
};

describe('/v1/webhooks', () => {
  test('lists come in pages, past the last one empty', async () => {
    const ask = (await served(freshLake())).withKey();
    for (const path of ['a', 'b', 'c'])
      expect(await ask('POST', '/webhooks', { url: `https://example.com/${path}` })).toMatchObject({
        status: 201,
      });
    const page = async (number: number) =>
      (await ask('GET', `/webhooks?limit=2&page=${number}`)).body;
    expect(await page(1)).toMatchObject({ total: 3, page: 1, items: [{}, {}] });
    expect(await page(2)).toMatchObject({ total: 3, page: 2, items: [{}] });
    expect(await page(3)).toMatchObject({ total: 3, page: 3, items: [] });
    expect(await ask('GET', '/webhooks?limit=0')).toMatchObject({ status: 400 });
  });

  test('subscribes, lists, shows, rotates, and ends', async () => {
    const lake = freshLake();
    const { withKey } = await served(lake);
    const ask = withKey();
    const wish = { url: 'https://example.com/hook', events: ['trend.spike'], subjects: ['@maker'] };
    const made = await ask('POST', '/webhooks', wish);
    expect(made).toMatchObject({
      status: 201,
      body: {
        url: wish.url,
        events: ['trend.spike'],
        platforms: [],
        subjects: ['maker'],
        state: 'enabled',
        secret: expect.stringMatching(/^whsec_/),
      },
    });
    const { id, secret } = made.body;
    expect(await ask('GET', '/webhooks')).toMatchObject({
      status: 200,
      body: { total: 1, page: 1, items: [{ id }], asOf: expect.any(String) },
    });
    expect(JSON.stringify(await ask('GET', `/webhooks/${id}`))).not.toContain(secret);
    expect((await ask('POST', `/webhooks/${id}/rotate`)).body.secret).not.toBe(secret);
    const now = systemClock.now();
    storeEvents(lake, [{ ...madeEvent(now), subject: 'creator:maker' }], { now });
    expect(await ask('GET', `/webhooks/${id}/deliveries?limit=1`)).toMatchObject({
      body: { total: 1, items: [{ state: 'pending', subject: 'creator:maker', status: null }] },
    });
    expect(await ask('DELETE', `/webhooks/${id}`)).toEqual({ status: 204, body: null });
    expect(await ask('GET', `/webhooks/${id}`)).toMatchObject({
      status: 404,
      body: { type: '/problems/not-found' },
    });
  });

  test('are listed in the time they are made in, also where the service shows another', async () => {
    const lake = freshLake();
    const ask = (await served(lake, undefined, { at: Date.UTC(2020, 0) })).withKey();
    const { id } = (await ask('POST', '/webhooks', { url: 'https://example.com/hook' })).body;
    expect((await ask('GET', '/webhooks')).body).toMatchObject({ total: 1, items: [{ id }] });
    expect((await ask('GET', '/webhooks?asOf=2020-01-01')).body).toMatchObject({ total: 0 });
    const now = systemClock.now();
    storeEvents(lake, [madeEvent(now)], { now });
    expect((await ask('GET', `/webhooks/${id}/deliveries`)).body).toMatchObject({ total: 1 });
  });

  test('a key knows its own subscriptions alone, and needs the scope', async () => {
    const lake = freshLake();
    const { withKey } = await served(lake);
    const [mine, theirs, reader] = [withKey(), withKey(), withKey(['read'])];
    const { id } = (await mine('POST', '/webhooks', { url: 'https://example.com/' })).body;
    expect((await theirs('GET', '/webhooks')).body.total).toBe(0);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ])
      expect((await theirs(method as string, `/webhooks/${id}${path}`)).status).toBe(404);
    expect((await reader('GET', '/webhooks')).status).toBe(403);
    expect((await mine('GET', '/webhooks')).body.total).toBe(1);
  });

  test.each([
    [{}, 'url'],
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'https://127.0.0.1/' }, 'url'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'http://127.0.0.1/', allowLoopbackHttp: true }, 'allowLoopbackHttp'],
    [{ url: 'https://example.com/', events: ['trend.spikes'] }, 'events'],
    [{ url: 'https://example.com/', events: 'trend.spike' }, 'events'],
    [{ url: 'https://example.com/', platforms: ['vine'] }, 'platforms'],
    [{ url: 'https://example.com/', subjects: [7] }, 'subjects'],
    [{ url: 'https://example.com/', secret: 'whsec_c2hvcnQ=' }, 'secret'],
    [{ url: 'https://example.com/', filter: {} }, 'filter'],
    [[], 'body'],
    [null, 'body'],
  ])('%j is a problem naming %s', async (body, parameter) => {
    const { withKey } = await served(freshLake());
    expect(await withKey()('POST', '/webhooks', body)).toMatchObject({
      status: 400,
      body: { type: '/problems/invalid-parameter', errors: [{ parameter }] },
    });
  });

  test('returns the outcome of a test event', async () => {
    const { withKey } = await served(freshLake());
    const ask = withKey();
    const { id } = (await ask('POST', '/webhooks', { url: 'https://nowhere.invalid/' })).body;
    expect((await ask('POST', `/webhooks/${id}/test`)).body).toMatchObject({
      delivered: false,
      status: null,
    });
  });

  test('shows no address that an attempt met, nor what an older trendlake noted of one', async () => {
    const lake = freshLake();
    const ask = (await served(lake)).withKey();
    const { id } = (await ask('POST', '/webhooks', { url: 'https://example.com/' })).body;
    const now = systemClock.now();
    storeEvents(lake, [madeEvent(now)], { now });
    const met = 'connect ECONNREFUSED 10.1.2.3:443; fd00::17 (private); 10.1.2.4.';
    lake.sqlite.prepare('update deliveries set last_error = ?').run(met);
    lake.sqlite.prepare('update subscriptions set disabled_at = 1, disabled_reason = ?').run(met);
    const { error } = (await ask('GET', `/webhooks/${id}/deliveries`)).body.items[0];
    const { reason } = (await ask('GET', `/webhooks/${id}`)).body;
    for (const text of [error, reason])
      expect(text).toBe('connect ECONNREFUSED [address]; [address] (private); [address].');
  });

  test('is described in the OpenAPI document', async () => {
    const { withKey } = await served(freshLake());
    const { paths } = (await withKey()('GET', '/openapi.json')).body;
    expect(Object.keys(paths['/webhooks'])).toEqual(expect.arrayContaining(['get', 'post']));
    expect(Object.keys(paths['/webhooks/{id}'])).toEqual(expect.arrayContaining(['get', 'delete']));
  });
});

describe('/hooks/upstream', () => {
  const message = JSON.stringify({
    type: 'hashtag.rising',
    timestamp: '2026-01-01T00:00:00Z',
    data: { tag: 'mossy' },
  });
  const post = (origin: string, headers: Record<string, string>, body: string) =>
    fetch(`${origin}/hooks/upstream`, { method: 'POST', headers, body });
  const signed = (body: string): Record<string, string> => {
    const at = new Date(systemClock.now());
    return {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', at, body),
    };
  };

  test('is off until a secret is set', async () => {
    const { origin } = await served(freshLake());
    expect((await post(origin, signed(message), message)).status).toBe(404);
  });

  test('takes what is signed, once, and nothing else', async () => {
    const lake = freshLake();
    const { origin } = await served(lake, SECRET);
    expect((await post(origin, {}, message)).status).toBe(401);
    expect((await post(origin, signed(`${message} `), message)).status).toBe(401);
    expect((await post(origin, signed('{'), '{')).status).toBe(400);
    const deep = `{"type":"hashtag.rising","data":{"tag":"mossy","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    expect((await post(origin, signed(deep), deep)).status).toBe(400);
    for (const _ of [1, 2]) expect((await post(origin, signed(message), message)).status).toBe(204);
    expect(lake.sqlite.prepare('select subject, origin from events').all()).toEqual([
      { subject: 'hashtag:mossy', origin: 'upstream' },
    ]);
  });
});
