import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { listKeys, revokeKey } from '../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { Metrics } from '../../src/run/metrics/metrics.ts';
import type { ServiceOptions } from '../../src/serve/service-options.ts';
import { freshFolder } from '../support/fresh.ts';
import { type Filler, hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

/** Every page of the dashboard, as somebody asks for it. */
const PAGES = [
  '/',
  '/trends',
  '/trends/tiktok',
  '/videos/tt_1',
  '/creators',
  '/creators/tiktok/somebody',
  '/hashtags',
  '/hashtags/secret',
  '/search?q=only',
  '/events',
];
const SECRET_TITLE = 'what only holders of a key may know';
const fill = (into: Filler): void =>
  void into.video({
    id: 'tt_1',
    title: SECRET_TITLE,
    tags: ['secret'],
    snapshots: [[hoursAgo(2), 5]],
  });
const metrics = new Metrics({
  dataDir: freshFolder(),
  clock: virtualClock(NOW),
  ratePerMinute: 60,
  callsPerMonth: 50_000,
  quotaReset: 'calendar',
});

afterAll(() => metrics.close());

interface Came {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Asks over loopback, by any Host and with any headers. */
const asking =
  (running: Running) =>
  (
    path: string,
    headers: Record<string, string> = {},
    { method = 'GET', body = '' } = {},
  ): Promise<Came> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(running.service.url);
      const sent = request({ port, host: '127.0.0.1', path, method, headers }, (answer) => {
        text(answer).then(
          (got) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: got }),
          reject,
        );
      });
      sent.on('error', reject).end(body);
    });

const serving = async (options: Partial<ServiceOptions>) => {
  const running = await runService(fill, { metrics, ...options });
  const ask = asking(running);
  const signIn = (key: string, more: Record<string, string> = {}) =>
    ask(
      '/sign-in',
      { 'content-type': 'application/x-www-form-urlencoded' },
      { method: 'POST', body: String(new URLSearchParams({ key, ...more })) },
    );
  return { running, ask, signIn };
};
/** Sends a raw request and returns the response. */
const raw = (port: string, head: string): Promise<string> => {
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
  return text(socket);
};
const cookieOf = ({ headers }: Came): string => headers['set-cookie']?.[0] ?? '';
const sent = (cookie: string): Record<string, string> => ({ cookie: cookie.split(';')[0] ?? '' });

describe('on loopback', () => {
  let local: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    local = await serving({});
  });

  test('pages and metrics need no key, and that is said', async () => {
    for (const path of ['/docs', '/metrics', ...PAGES])
      expect([path, (await local.ask(path)).status]).toEqual([path, 200]);
    expect((await local.ask('/')).text).not.toContain('sign out');
    expect(local.running.service.openness).toContain('Everyone on this machine');
  });

  test.each([
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'via',
    'CF-Connecting-IP',
    'True-Client-IP',
    'X-Client-IP',
    'X-Forwarded-Port',
    'X-Forwarded-Server',
    'X-Forwarded-Prefix',
    'CDN-Loop',
  ])('what a proxy passes on (%s) comes from elsewhere', async (name) => {
    for (const path of ['/', '/docs', '/metrics', '/query?sql=select+title+from+videos']) {
      const { status, text: page } = await local.ask(path, { [name]: '203.0.113.9' });
      expect([path, status]).toEqual([path, 401]);
      expect(page).not.toContain(SECRET_TITLE);
    }
  });

  test('HTTP/1.0, which a bare nginx speaks, comes from elsewhere', async () => {
    const { port } = new URL(local.running.service.url);
    for (const path of ['/', '/metrics', '/query?sql=select+title+from+videos']) {
      const got = await raw(port, `GET ${path} HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      expect([path, got.split('\r\n')[0]]).toEqual([path, 'HTTP/1.1 401 Unauthorized']);
      expect(got).not.toContain(SECRET_TITLE);
    }
  });

  test('two Host headers are 400, whatever they name', async () => {
    const { port } = new URL(local.running.service.url);
    for (const second of ['Host: localhost', 'hOST: evil.example']) {
      const head = `GET / HTTP/1.1\r\nHost: localhost\r\n${second}\r\nConnection: close\r\n\r\n`;
      const got = await raw(port, head);
      expect(got).toMatch(/^HTTP\/1.1 400 /);
      expect(got).toContain('Host: Expected one Host header; got 2.');
    }
  });

  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '169.254.169.254',
  ])('a page of another name that leads here (DNS rebinding) is refused: %s', async (host) => {
    for (const path of [
      '/',
      '/docs',
      '/metrics',
      '/health',
      '/v1/openapi.json',
      '/v1/feed/tiktok',
    ]) {
      const got = await local.ask(path, { host, authorization: `Bearer ${local.running.key}` });
      expect([path, got.status]).toEqual([path, 400]);
      expect(got.headers['content-type']).toBe('application/problem+json');
      expect(got.text).not.toContain(SECRET_TITLE);
    }
  });

  test.each([
    'localhost',
    'LOCALHOST:8787',
    'localhost.',
    '127.0.0.1',
    '127.1.2.3:1',
    '[::1]:8787',
  ])('a name of this machine is answered: %s', async (host) =>
    expect((await local.ask('/health', { host })).status).toBe(200),
  );

  test('an absolute address is judged by its own name', async () => {
    expect((await local.ask('http://evil.example/', { host: 'localhost' })).status).toBe(400);
    expect((await local.ask('http://localhost/health', { host: 'localhost' })).status).toBe(200);
  });
});

describe('elsewhere', () => {
  let open: Awaited<ReturnType<typeof serving>>;
  beforeAll(async () => {
    open = await serving({ host: '0.0.0.0' });
  });

  test('without a key nothing of the lake is seen, and that is said', async () => {
    const others = ['/?video=tt_1&asOf=2026-03-09T07:00:00Z', '/docs', '/pipeline', '/query'];
    for (const path of [...others, ...PAGES]) {
      const got = await open.ask(path);
      expect([path, got.status]).toEqual([path, 401]);
      expect(got.text).toContain('action="/sign-in"');
      expect(got.text).not.toContain(SECRET_TITLE);
      expect(got.headers['content-security-policy']).toContain("default-src 'none'");
    }
    const metric = await open.ask('/metrics');
    expect([metric.status, metric.headers['content-type']]).toEqual([
      401,
      'application/problem+json',
    ]);
    expect(open.running.service.openness).toContain('require a key');
    expect(open.running.service.openness).toContain('--public-url');
  });

  test('a key opens pages and metrics, and they count against it', async () => {
    const authorization = `Bearer ${open.running.newKey({ ratePerMinute: 3 })}`;
    for (const path of ['/', '/docs', '/metrics'])
      expect([path, (await open.ask(path, { authorization })).status]).toEqual([path, 200]);
    const spent = await open.ask('/', { authorization });
    expect([spent.status, spent.headers['retry-after']]).toEqual([429, '60']);
  });

  test('signing in leads to the page that was asked for, by a cookie no script can read', async () => {
    const { text: form } = await open.ask('/?platform=tiktok');
    expect(form).toContain('name="to" value="/?platform=tiktok"');
    const signed = await open.signIn(open.running.key, { to: '/?platform=tiktok' });
    expect([signed.status, signed.headers.location]).toEqual([303, '/?platform=tiktok']);
    const cookie = cookieOf(signed);
    for (const word of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=14400'])
      expect(cookie).toContain(word);
    expect(cookie).not.toContain('Secure');
    expect(cookie).not.toContain(open.running.key);
    const page = await open.ask('/?platform=tiktok', sent(cookie));
    expect(page.text).toContain(SECRET_TITLE);
    expect(page.text).toContain('action="/sign-out"');
    // the interface itself takes keys alone: no page elsewhere can make a browser ask it
    expect((await open.ask('/v1/feed/tiktok', sent(cookie))).status).toBe(401);
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/v1/feed',
    'javascript:1',
  ])('it leads nowhere else: %s', async (to) => {
    expect((await open.signIn(open.running.key, { to })).headers.location).toBe('/');
  });

  test.each(['', 'tl_live_none', 'a b', "' or 1=1 --"])(
    'rejects an invalid key: %j',
    async (key) => {
      const got = await open.signIn(key);
      expect(got.status).toBe(401);
      expect(got.text).toContain('This key is unknown or was revoked');
      expect(got.headers['set-cookie']).toBeUndefined();
    },
  );

  test('a key that may not read opens no page', async () => {
    expect((await open.signIn(open.running.newKey({ scopes: ['lab'] }))).status).toBe(403);
  });

  test('a session ends with its key, at signing out, and by itself', async () => {
    const { running, ask, signIn } = open;
    const statusOf = async (cookie: string) => (await ask('/', sent(cookie))).status;
    const key = running.newKey({ useCase: 'soon revoked' });
    const [ofKey, left, old] = [
      await signIn(key),
      await signIn(running.key),
      await signIn(running.key),
    ].map(cookieOf) as [string, string, string];
    expect([await statusOf(ofKey), await statusOf(left), await statusOf(old)]).toEqual([
      200, 200, 200,
    ]);
    const db = openServiceDb(running.dataDir);
    revokeKey(db, listKeys(db).find(({ useCase }) => useCase === 'soon revoked')?.id ?? '', NOW);
    db.close();
    expect(await statusOf(ofKey)).toBe(401);
    const out = await ask('/sign-out', sent(left), { method: 'POST' });
    expect([out.status, await statusOf(left)]).toEqual([303, 401]);
    running.clock.advanceTo(NOW + 4 * HOUR_MS - 1);
    expect(await statusOf(old)).toBe(200);
    running.clock.advanceTo(NOW + 4 * HOUR_MS);
    expect(await statusOf(old)).toBe(401);
  });

  test.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('a page of another origin signs nobody in or out: %o', async (of) => {
    const { running, ask, signIn } = open;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...of };
    const body = String(new URLSearchParams({ key: running.key }));
    const forged = await ask('/sign-in', headers, { method: 'POST', body });
    expect([forged.status, forged.headers['set-cookie']]).toEqual([403, undefined]);
    const own = sent(cookieOf(await signIn(running.key)));
    const out = await ask('/sign-out', { ...own, ...of }, { method: 'POST' });
    expect([out.status, out.headers['set-cookie']]).toEqual([403, undefined]);
    expect((await ask('/', own)).status).toBe(200);
  });

  test('addresses that cannot be made to lead elsewhere are answered, names are not', async () => {
    expect((await open.ask('/health', { host: '127.0.0.1' })).status).toBe(200);
    expect((await open.ask('/health', { host: '0.0.0.0' })).status).toBe(200);
    expect((await open.ask('/health', { host: 'trends.example' })).status).toBe(400);
    expect((await open.ask('/health', { host: '203.0.113.9' })).status).toBe(400);
  });
});

describe('behind a public URL', () => {
  test('its name is answered, the pages ask for a key, and cookies leave over HTTPS alone', async () => {
    const { running, ask, signIn } = await serving({ publicUrl: 'https://trends.example' });
    expect((await ask('/health', { host: 'trends.example' })).status).toBe(200);
    expect((await ask('/health', { host: 'trends.example.evil.example' })).status).toBe(400);
    expect((await ask('/')).status).toBe(401); // a proxy may name this machine as the Host
    const cookie = cookieOf(await signIn(running.key));
    expect(cookie).toMatch(/^__Host-trendlake=.*; Secure/);
    expect((await ask('/', sent(cookie))).text).toContain(SECRET_TITLE);
    const docs = await ask('/docs', sent(cookie));
    expect(docs.text).toContain('https://trends.example/v1/feed/tiktok');
    const { headers } = await ask('/v1/openapi.json', { origin: 'https://trends.example' });
    expect(headers['access-control-allow-origin']).toBe('https://trends.example');
    expect(running.service.openness).toContain('https://trends.example');
  });

  test('its own pages sign in and out, also where a proxy writes another Host', async () => {
    const { running, ask } = await serving({ publicUrl: 'http://trends.example' });
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://trends.example',
    };
    const body = String(new URLSearchParams({ key: running.key }));
    const signed = await ask('/sign-in', headers, { method: 'POST', body });
    expect(signed.status).toBe(303);
    const own = { ...sent(cookieOf(signed)), origin: 'http://trends.example' };
    expect((await ask('/sign-out', own, { method: 'POST' })).status).toBe(303);
  });

  test('--public-dashboard opens the pages, and says so', async () => {
    const { running, ask } = await serving({ host: '0.0.0.0', publicDashboard: true });
    for (const path of ['/', '/docs', '/metrics']) expect((await ask(path)).status).toBe(200);
    expect((await ask('/v1/feed/tiktok')).status).toBe(401);
    expect(running.service.openness).toContain('Everyone who can reach');
  });
});

describe('what asking without a key can cost', () => {
  const days = (count: number) =>
    Array.from(
      { length: count },
      (_, day) => `/?asOf=${new Date(hoursAgo(24 * day)).toISOString()}`,
    );

  test('two pages are computed at once and six wait; more are 503 that says when to come back', async () => {
    const { ask } = await serving({ readLimits: { rowsHere: -1 } });
    const got = await Promise.all(days(12).map((path) => ask(path)));
    const refused = got.filter(({ status }) => status === 503);
    expect(got.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused)
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('instants of one minute are one page', async () => {
    const { ask } = await serving({});
    const [one, other] = await Promise.all(
      ['07:00:01.5', '07:00:59'].map((time) => ask(`/?asOf=2026-03-09T${time}Z`)),
    );
    const shown = (came: Came | undefined) => came?.text.replaceAll(/2026-03-09T07[^"&]*/g, '');
    expect(shown(one)).toBe(shown(other));
  });

  test('a page asked again within its minute comes from memory, and is new when the lake is', async () => {
    let now = NOW;
    const { ask, running } = await serving({ at: () => now });
    const page = async () => (await ask('/')).text;
    const first = await page();
    now += 1000;
    expect(await page()).toBe(first);
    now = NOW + 60_000;
    expect(await page()).not.toBe(first);
    expect(running.service.dashboard).toMatch(/^http:/);
  });
});
