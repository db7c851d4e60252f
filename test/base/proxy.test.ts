import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { storeEvents } from '../../src/alerts/events/outbox.ts';
import { HttpPoster } from '../../src/alerts/webhooks/post.ts';
import { readWish } from '../../src/alerts/webhooks/subscription-wish.ts';
import { addSubscription } from '../../src/alerts/webhooks/subscriptions.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config/config.ts';
import { proxyFor, proxyIn } from '../../src/base/proxy.ts';
import { Secret } from '../../src/base/secret.ts';
import { tellEvents } from '../../src/run/run/night.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { madeEvent } from '../alerts/webhooks/made-event.ts';
import { freshDataDir, freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

/** A proxy for plain HTTP and tunnels. Every name leads to 127.0.0.1. */
const startProxy = async (password?: string) => {
  const asked: string[] = [];
  const isRefused = (header: string | undefined): boolean =>
    password !== undefined &&
    header !== `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '');
    asked.push(`${incoming.method} ${url.host}`);
    if (isRefused(incoming.headers['proxy-authorization'])) {
      response.writeHead(407).end();
      return;
    }
    const { method, headers } = incoming;
    const path = url.pathname + url.search;
    const onward = forward({ host: '127.0.0.1', port: url.port, method, path, headers }, (came) => {
      response.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (isRefused(incoming.headers['proxy-authorization'])) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const port = Number(incoming.url?.split(':')[1]);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

const REQUEST = { kind: 'hashtags', dateRange: '30d', limit: 5, page: 1, offset: 0 } as const;

const ask = async (baseUrl: string, env: NodeJS.ProcessEnv) => {
  const client = new HttpApiClient({
    baseUrl,
    apiKey: new Secret('tl_live_x'),
    timeoutMs: 5000,
    proxy: proxyIn(env),
  });
  try {
    return await client.send(REQUEST);
  } finally {
    await client.close();
  }
};

const upstreamPort = async (): Promise<string> => {
  const upstream = await startFaultyUpstream([]);
  onTestFinished(() => upstream.close());
  return new URL(upstream.baseUrl).port;
};

describe('the upstream is asked through the proxy', () => {
  test('that HTTP_PROXY names, which also resolves the name', async () => {
    const [proxy, port] = [await startProxy(), await upstreamPort()];
    const response = await ask(`http://service.test:${port}/v1`, { HTTP_PROXY: proxy.address });
    expect(response.status).toBe(200);
    expect(proxy.asked).toEqual([`GET service.test:${port}`]);
  });

  test('with user and password', async () => {
    const [proxy, port] = [await startProxy('p@ss'), await upstreamPort()];
    const address = proxy.address.replace('http://', 'http://user:p%40ss@');
    const response = await ask(`http://service.test:${port}/v1`, { http_proxy: address });
    expect(response.status).toBe(200);
  });

  test.each(['http', 'https'])(
    'a proxy that asks for a password (%s) has its own error',
    async (scheme) => {
      const proxy = await startProxy('secret');
      const env = { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address };
      const sent = ask(`${scheme}://service.test:1/v1`, env);
      await expect(sent).rejects.toThrow(/the proxy asks for a user and password \(407\)/);
    },
  );

  test('unless NO_PROXY names the host', async () => {
    const [proxy, port] = [await startProxy(), await upstreamPort()];
    const env = { HTTP_PROXY: proxy.address, NO_PROXY: 'example.com,127.0.0.1' };
    const response = await ask(`http://127.0.0.1:${port}/v1`, env);
    expect([response.status, proxy.asked]).toEqual([200, []]);
  });
});

test('webhooks use the proxy only if one is handed to their poster', async () => {
  const [proxy, port] = [await startProxy(), await upstreamPort()];
  const letter = {
    url: `http://receiver.test:${port}/hook`,
    body: '{}',
    headers: {},
    loopback: false,
  };
  const clock = virtualClock(0);
  for (const settings of [undefined, proxyIn({ HTTP_PROXY: proxy.address })]) {
    const poster = new HttpPoster({ clock, proxy: settings });
    await poster.post(letter);
    await poster.post({ ...letter, url: `http://169.254.169.254:${port}/` });
    await poster.close();
  }
  expect(proxy.asked).toEqual([`POST receiver.test:${port}`]);
});

test('the end of a sync sends webhooks through the proxy if the settings ask for it', async () => {
  const proxy = await startProxy();
  const lake = freshLake();
  const wish = readWish({ url: 'https://receiver.test/hook' }, true);
  addSubscription(lake, wish, { now: 0, owner: undefined });
  const clock = virtualClock(Date.UTC(2026, 2, 1));
  storeEvents(lake, [madeEvent(clock.now())], { now: clock.now() });
  const env = { HTTPS_PROXY: proxy.address, TRENDLAKE_PROXY_WEBHOOKS: 'true' };
  const config = readConfig({ env, cwd: freshFolder() });
  const { signal } = new AbortController();
  await tellEvents({ lake, config, clock, random: () => 0.5, signal, warn: () => {} });
  expect(proxy.asked).toEqual(['CONNECT receiver.test:443']);
});

test('settings: the proxies of the environment, wrong ones refused without their value', () => {
  const cwd = freshFolder();
  const read = (env: NodeJS.ProcessEnv) => readConfig({ env, cwd });
  expect(read({}).proxy).toBeUndefined();
  const { proxy } = read({ HTTPS_PROXY: 'proxy.test:3128', NO_PROXY: 'a.test' });
  expect(proxy?.https?.reveal()).toBe('http://proxy.test:3128/');
  expect(JSON.stringify(proxy)).not.toContain('proxy.test');
  expect(() => read({ HTTPS_PROXY: 'ftp://user:secret@x' })).toThrow(
    /HTTPS_PROXY must be an http or https address.*not shown/,
  );
  expect(read({}).proxyWebhooks).toBe(false);
  expect(read({ TRENDLAKE_PROXY_WEBHOOKS: 'true' }).proxyWebhooks).toBe(true);
});

test.each([
  ['https://a.test/v1', '', 'secure:1'],
  ['http://a.test/v1', '', 'plain:2'],
  ['https://a.test/v1', 'a.test', undefined],
  ['https://b.a.test/v1', '.a.test', undefined],
  ['https://ba.test/v1', 'a.test', 'secure:1'],
  ['https://a.test:8443/v1', 'a.test:443', 'secure:1'],
  ['https://a.test/v1', 'x, a.test:443', undefined],
  ['https://a.test/v1', '*', undefined],
])('%s with NO_PROXY=%s goes through %s', (address, direct, expected) => {
  const proxy = proxyIn({ HTTPS_PROXY: 'secure:1', HTTP_PROXY: 'plain:2', NO_PROXY: direct });
  expect(proxyFor(address, proxy)?.host).toBe(expected);
});

test('a run stops at a proxy that refuses: one attempt, which costs no call', async () => {
  const proxy = await startProxy('secret');
  const dataDir = freshDataDir();
  const env = {
    TRENDLAKE_BASE_URL: 'http://service.test:1/v1',
    TRENDLAKE_API_KEY: 'tl_live_x',
    TRENDLAKE_CONCURRENCY: '1',
    HTTP_PROXY: proxy.address,
  };
  const { code, err } = await runCommand(['sync'], { dataDir, env });
  expect(code).toBe(1);
  expect(err).toContain('the proxy asks for a user and password (407)');
  expect(proxy.asked).toHaveLength(1);
  const sql = 'select count(*) as calls, sum(sent) as sent from calls';
  const { out } = await runCommand(['query', '--json', sql], { dataDir });
  expect(JSON.parse(out)).toEqual([{ calls: 1, sent: 0 }]);
});
