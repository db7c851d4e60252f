import { describe, expect, test } from 'vitest';
import type { Resolve } from '../../../src/alerts/webhooks/guarded-connections.ts';
import { HttpPoster } from '../../../src/alerts/webhooks/post.ts';
import { mayDial, readTarget } from '../../../src/alerts/webhooks/target.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { madeEndpoint } from './made-endpoint.ts';

/** IPv4 addresses that nothing of ours may reach. */
const FORBIDDEN_V4 = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.254',
  '172.16.0.1',
  '172.31.255.1',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '192.88.99.1',
];
const number = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const hex = (address: string): string => number(address).toString(16).padStart(8, '0');
const halves = (address: string): string => `${hex(address).slice(0, 4)}:${hex(address).slice(4)}`;

/** Every way to write them that a URL parser or a resolver takes. */
const spellings = FORBIDDEN_V4.flatMap((address) => [
  address,
  `${address}.`,
  String(number(address)),
  `0x${hex(address)}`,
  address
    .split('.')
    .map((part) => `0${Number(part).toString(8)}`)
    .join('.'),
  address
    .split('.')
    .map((part) => `0x${Number(part).toString(16)}`)
    .join('.'),
  `${address.split('.')[0]}.${number(address) % 2 ** 24}`,
  address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  encodeURIComponent(address).replaceAll('.', '%2E'),
  address.replaceAll('.', '。'),
  `[::ffff:${address}]`,
  `[::ffff:${halves(address)}]`,
  `[0:0:0:0:0:ffff:${halves(address)}]`,
  `[::${address}]`,
  `[64:ff9b::${address}]`,
  `[64:ff9b:1::${address}]`,
  `[2002:${halves(address)}::1]`,
  `[::ffff:0:${halves(address)}]`,
]);
const OTHERS = [
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:20::1]',
  '127.1',
  '0',
  '0x7f.1',
  '017700000001',
];
const ALL = [...spellings, ...OTHERS];

const resolver = (answers: readonly string[][]): { resolve: Resolve; calls: () => number } => {
  let calls = 0;
  const resolve = (_host: string, _options: unknown, done: unknown) => {
    const its = answers[Math.min(calls, answers.length - 1)] ?? [];
    calls += 1;
    (done as (error: null, all: { address: string; family: number }[]) => void)(
      null,
      its.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { resolve: resolve as unknown as Resolve, calls: () => calls };
};

describe('targets', () => {
  test.each(ALL)('%s is refused as it is written', (host) => {
    expect(() => readTarget(`https://${host}/hook`, false)).toThrow(/webhook address/);
  });

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com',
    '',
    '//example.com',
    'https://',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'https://intranet/',
    `https://example.com/${'a'.repeat(2100)}`,
    'http://127.0.0.1:80/',
    'https://localhost/',
    'javascript:alert(1)',
    'gopher://127.0.0.1:25/',
    'unix:/var/run/docker.sock',
  ])('%j is refused', (url) => {
    expect(() => readTarget(url, false)).toThrow(/webhook address/);
  });

  test('http is taken for this machine alone, and only where allowed', () => {
    expect(readTarget('http://127.0.0.1:8080/x', true).port).toBe('8080');
    expect(readTarget('http://localhost/x', true).hostname).toBe('localhost');
    expect(readTarget('http://[::1]:8080/x', true).port).toBe('8080');
    expect(() => readTarget('http://10.0.0.1/', true)).toThrow(/this machine/);
    expect(() => readTarget('http://169.254.169.254/', true)).toThrow(/this machine/);
    expect(() => readTarget('http://localhost.example.com/', true)).toThrow(/this machine/);
    expect(readTarget('https://example.com/a?b=c', true).href).toBe('https://example.com/a?b=c');
  });

  test.each(['1.1.1.1', '93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:1.1.1.1'])(
    '%s may be dialled',
    (address) => {
      expect(mayDial(address, 'public')).toBe(true);
      expect(mayDial(address, 'loopback')).toBe(false);
    },
  );

  test('nothing forbidden is dialled, even where its spelling was never read', async () => {
    const canary = await madeEndpoint();
    const { port } = new URL(canary.url);
    const poster = new HttpPoster({ clock: systemClock, timeoutMs: 5_000 });
    const letter = { body: '{}', headers: {}, loopback: false };
    for (const host of ALL) {
      const { error } = await poster.post({ ...letter, url: `http://${host}:${port}/` });
      expect(error, host).toMatch(/must not reach|Invalid URL/);
    }
    await poster.close();
    expect(ALL.length).toBeGreaterThan(200);
    expect(canary.connections()).toBe(0);
  });

  test('names are judged by what they resolve to, at every dialling', async () => {
    const canary = await madeEndpoint();
    const { port } = new URL(canary.url);
    const mixed = resolver([
      ['1.1.1.1', '127.0.0.1'],
      ['127.0.0.1'],
      ['::ffff:7f00:1'],
      ['::1'],
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['not an address'],
      [],
    ]);
    const poster = new HttpPoster({ clock: systemClock, timeoutMs: 5_000, resolve: mixed.resolve });
    for (let post = 0; post < 8; post += 1) {
      const { error } = await poster.post({
        url: `http://rebound.example:${port}/`,
        body: '{}',
        headers: {},
        loopback: false,
      });
      expect(error).toMatch(/must not reach|the connection failed/);
      expect(error).not.toMatch(/\d+\.\d+|::/); // who names a host does not learn its address
    }
    expect(mixed.calls()).toBe(8);
    await poster.close();
    expect(canary.connections()).toBe(0);
  });

  test('a subscription to this machine cannot be pointed elsewhere by its name', async () => {
    const poster = new HttpPoster({
      clock: systemClock,
      timeoutMs: 5_000,
      resolve: resolver([['1.1.1.1']]).resolve,
    });
    const { error } = await poster.post({
      url: 'http://localhost:9/',
      body: '{}',
      headers: {},
      loopback: true,
    });
    expect(error).toMatch(/must not reach/);
    await poster.close();
  });

  test('a redirect is a failure, and its target is not asked', async () => {
    const canary = await madeEndpoint();
    for (const status of [301, 302, 303, 307, 308]) {
      const endpoint = await madeEndpoint((response) =>
        response.writeHead(status, { location: canary.url }).end(),
      );
      const poster = new HttpPoster({ clock: systemClock });
      const attempt = await poster.post({
        url: endpoint.url,
        body: '{}',
        headers: {},
        loopback: true,
      });
      expect(attempt).toMatchObject({
        status,
        error: expect.stringMatching(/redirects are not followed/),
      });
      await poster.close();
    }
    expect(canary.connections()).toBe(0);
  });
});
