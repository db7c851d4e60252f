import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { readHookSecret } from '../../src/alerts/webhooks/hook-proof.ts';
import { systemClock } from '../../src/base/clock.ts';
import { SECOND_MS } from '../../src/base/durations.ts';
import type { ServiceOptions } from '../../src/serve/service-options.ts';
import { hoursAgo, NOW } from './filled-lake.ts';
import { runService } from './running.ts';

const HOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const PUBLIC = 'trends.example';
const LONGEST_MS = 5 * SECOND_MS;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A service whose machine's clock stands still, and what it waited for, ms; `reads` counts readings of its time. */
const paced = async (options: Partial<ServiceOptions> = {}) => {
  const slept: number[] = [];
  const counted = { reads: 0 };
  const held: { until: Promise<void> } = { until: Promise.resolve() };
  const running = await runService(
    (into) => into.video({ id: 'tt_1', title: 'one', snapshots: [[hoursAgo(2), 5]] }),
    {
      machine: {
        ...systemClock,
        monotonic: () => 0,
        sleep: async (ms, signal) => {
          if (ms > LONGEST_MS) return systemClock.sleep(ms, signal);
          slept.push(ms);
          await held.until;
          await systemClock.sleep(0, signal);
        },
      },
      at: () => {
        counted.reads += 1;
        return NOW;
      },
      ...options,
    },
  );
  const { port } = new URL(running.service.url);
  const ask = (path: string, { method = 'GET', headers = {}, body = '' }: Asked = {}) =>
    new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>(
      (resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', path, method, headers }, (got) => {
          const { statusCode: status = 0 } = got;
          const { headers } = got;
          text(got).then((body) => resolve({ status, text: body, headers }), reject);
        });
        sent.on('error', reject).end(body);
      },
    );
  /** Spends what may be answered at once. */
  const spendBurst = async (path = '/nothing'): Promise<void> => {
    await Promise.all(Array.from({ length: 50 }, () => ask(path)));
    expect(slept).toEqual([]);
  };
  return { running, ask, slept, counted, held, spendBurst };
};

const PREFLIGHT = {
  method: 'OPTIONS',
  headers: { origin: `https://${PUBLIC}`, 'access-control-request-method': 'GET' },
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const WRONG = { authorization: 'Bearer tl_live_wrong' };

describe('a request without a key waits its turn', () => {
  test.each<[string, Asked, number]>([
    ['/v1/feed/tiktok', PREFLIGHT, 204],
    ['/v1/feed/tiktok', { ...PREFLIGHT, headers: { ...PREFLIGHT.headers, ...WRONG } }, 204],
    ['/v1/feed/tiktok', {}, 401],
    ['/v1/feed/tiktok', { headers: WRONG }, 401],
    ['/', {}, 401],
    ['/', { headers: { cookie: 'trendlake=none' } }, 401],
    ['/docs', {}, 401],
    ['/assets/page.js', {}, 200],
    ['/v1/openapi.json', {}, 200],
    ['/favicon.ico', {}, 404],
    ['/health?', {}, 200],
    ['/health', { headers: { host: 'evil.example' } }, 400],
    ['/sign-out', { method: 'POST' }, 303],
    ['/sign-in', { method: 'POST', headers: FORM, body: 'key=tl_live_wrong' }, 401],
    ['/hooks/upstream', { method: 'POST', headers: FORM, body: '{}' }, 404],
  ])('%s %o', async (path, asked, status) => {
    const { ask, slept, spendBurst } = await paced({ publicUrl: `https://${PUBLIC}` });
    await spendBurst(path === '/health' ? path : undefined);
    expect((await ask(path, asked)).status).toBe(status);
    expect(slept).toEqual([10]);
  });

  test.each(['/', '/events', '/trends/tiktok?format=csv'])(
    'before anything is read for it, also where it shows a key that nobody looks at: %s',
    async (path) => {
      const { ask, slept, counted, held, spendBurst } = await paced();
      await spendBurst();
      const release = Promise.withResolvers<void>();
      held.until = release.promise;
      const waiting = [ask(path), ask(path, { headers: WRONG })];
      await expect
        .poll(() => slept.length)
        .toBe(2)
        .finally(release.resolve);
      expect(counted.reads).toBe(0);
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    },
  );

  test('and is refused unread after five seconds where that will not come', async () => {
    const { ask, slept, counted, spendBurst } = await paced();
    await spendBurst();
    for (let turn = 0; turn < 10; turn++)
      await Promise.all(Array.from({ length: 50 }, () => ask('/nothing')));
    const late = await ask('/');
    expect([late.status, late.headers['retry-after'], slept.at(-1)]).toEqual([
      503,
      '5',
      LONGEST_MS,
    ]);
    expect(late.text).toContain('Too many requests without a key');
    expect(counted.reads).toBe(0);
  });
});

test.each(['/assets/page.js', '/assets/uplot.js', '/v1/openapi.json'])(
  'what never changes is compressed once, for all: %s',
  async (path) => {
    const { ask } = await paced();
    const gzip = { 'accept-encoding': 'gzip' };
    const plain = await ask(path);
    const packed = await ask(path, { headers: gzip });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    // written in pieces by what compresses for each request
    expect(Number(packed.headers['content-length'])).toBeLessThan(plain.text.length);
    const known = { ...gzip, 'if-none-match': String(packed.headers.etag) };
    expect((await ask(path, { headers: known })).status).toBe(304);
    expect((await ask(path, { headers: { ...gzip, 'if-none-match': '"x"' } })).status).toBe(200);
  },
);

describe('nobody waits behind a flood', () => {
  test('with a key, signing in with one, or by the signature of the upstream', async () => {
    const { ask, running, slept, spendBurst } = await paced({
      host: '0.0.0.0',
      hookSecret: readHookSecret(HOOK_SECRET),
    });
    await spendBurst();
    const message = JSON.stringify({
      type: 'hashtag.rising',
      timestamp: '2026-01-01T00:00:00Z',
      data: { tag: 'mossy' },
    });
    const proof = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(NOW / 1000),
      'webhook-signature': new Webhook(HOOK_SECRET).sign('msg_1', new Date(NOW), message),
    };
    const hook = { method: 'POST', headers: proof, body: message };
    expect((await ask('/hooks/upstream', hook)).status).toBe(204);
    const headers = { authorization: `Bearer ${running.key}` };
    expect((await ask('/v1/feed/tiktok', { headers })).status).toBe(200);
    expect((await ask('/', { headers })).status).toBe(200);
    const body = String(new URLSearchParams({ key: running.key }));
    expect((await ask('/sign-in', { method: 'POST', headers: FORM, body })).status).toBe(303);
    expect(slept).toEqual([]);
  });

  test('health is read once a second and has a separate pace', async () => {
    const { ask, running, slept, counted, spendBurst } = await paced();
    await spendBurst();
    const health = async () => (await ask('/health')).text;
    const first = await health();
    expect([await health(), counted.reads, slept]).toEqual([first, 1, []]);
    running.clock.advanceTo(NOW + SECOND_MS);
    expect(JSON.parse(await health())).toMatchObject({ status: 'ok' });
    expect(counted.reads).toBe(2);
  });
});
