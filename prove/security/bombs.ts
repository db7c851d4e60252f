import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { systemClock } from '../../src/base/clock.ts';
import { Secret } from '../../src/base/secret.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import type { Proof } from './proof.ts';
import { HOOK_SECRET, type Served } from './served.ts';

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const DEPTHS = [100, 1000, 5000, 9000];
const BODIES: readonly string[] = [
  ...DEPTHS.flatMap((levels) => [
    nested(levels, '[', ']'),
    nested(levels, '{"a":', '}'),
    `{"url":"https://example.com/","events":${nested(levels, '[', ']')}}`,
    `{"type":"hashtag.rising","data":{"tag":"x","more":${nested(levels, '{"a":', '}')}}}`,
    `{"id":${nested(levels, '[', ']')}}`,
  ]),
  `{"url":"https://example.com/","secret":"whsec_${'='.repeat(60_000)}"}`,
  `{"url":"https://${'a.'.repeat(30_000)}com/"}`,
  `{"url":"https://example.com/","subjects":[${'"a",'.repeat(15_000)}"a"]}`,
  `{${Array.from({ length: 6000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  `{"id":"${'\\u0000'.repeat(10_000)}"}`,
  `{"__proto__":{"url":"https://example.com/"},"constructor":1}`,
  `{"id":1e400,"url":1e400}`,
  '[',
  '',
  '\u0000',
  ' '.repeat(64_000),
  '9'.repeat(64_000),
  `"${'\\ud800'.repeat(10_000)}"`,
];

const signed = (body: string | Buffer): Record<string, string> => {
  const at = String(Math.floor(systemClock.now() / 1000));
  const key = Buffer.from(HOOK_SECRET.slice('whsec_'.length), 'base64');
  const proof = createHmac('sha256', key).update(`msg.${at}.`).update(body).digest('base64');
  return { 'webhook-id': 'msg', 'webhook-timestamp': at, 'webhook-signature': `v1,${proof}` };
};

/** Bodies made to overflow, to be slow or to unpack to gigabytes, with /health asked all the while. */
export const proveBombs = async ({ origin, newKey }: Served): Promise<Proof> => {
  const key = newKey();
  const passed: string[] = [];
  let tried = 0;
  const packed = gzipSync(Buffer.alloc(50_000_000, 0x20));
  let done = false;
  const spans: number[] = [];
  const watching = (async () => {
    while (!done) {
      const from = performance.now();
      const { status } = await fetch(`${origin}/health`);
      spans.push(performance.now() - from);
      if (status !== 200) passed.push(`/health answered ${status}`);
      await systemClock.sleep(5);
    }
  })();
  const sendings: (readonly [string, string | Buffer<ArrayBuffer>, Record<string, string>])[] = [
    ...BODIES.map((body) => [body.slice(0, 40), body, {}] as const),
    ['50 MB of blanks in gzip', packed, { 'content-encoding': 'gzip' }],
    ['10 MB', 'a'.repeat(10_000_000), {}],
  ];
  for (const path of ['/v1/webhooks', '/v1/lab/analyze', '/hooks/upstream'])
    for (const [name, body, headers] of sendings) {
      tried += 1;
      const proofs = path === '/hooks/upstream' && typeof body === 'string' ? signed(body) : {};
      const status = await fetch(origin + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...proofs,
          ...headers,
        },
        body,
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 413, // refused while it was still being sent
      );
      if (status >= 500) passed.push(`${path} ${name}: ${status}`);
    }
  done = true;
  await watching;
  const worst = Math.max(...spans);
  spans.sort((a, b) => a - b);
  const p99 = spans[Math.floor(spans.length * 0.99)] ?? 0;
  if (p99 > 1000) passed.push(`/health p99 ${p99.toFixed(0)} ms`);
  const measured = `/health meanwhile: p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
  return {
    what: 'bodies that overflow, are slow to read or unpack to much',
    tried,
    passed,
    measured,
  };
};

const ASK = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  limit: 50,
  page: 1,
  offset: 0,
} as const;

/** Responses of an upstream meant to cost memory or time: refused, within bounds. */
export const proveResponses = async (): Promise<Proof> => {
  const big = Buffer.alloc(300_000_000, 0x20);
  const once = gzipSync(big);
  const responses: readonly (readonly [string, Record<string, string>, Buffer])[] = [
    ['300 MB in gzip', { 'content-encoding': 'gzip' }, once],
    ['300 MB in gzip, twice', { 'content-encoding': 'gzip, gzip' }, gzipSync(once)],
    [
      '300 MB in brotli',
      { 'content-encoding': 'br' },
      brotliCompressSync(big.subarray(0, 100_000_000)),
    ],
    ['packed ten times', { 'content-encoding': Array(10).fill('gzip').join(', ') }, once],
    ['100,000 levels', {}, Buffer.from(`{"items":${nested(100_000, '[', ']')}}`)],
    [
      '100,000 levels in an item',
      {},
      Buffer.from(`{"items":[{"id":"tt_1","x":${nested(100_000, '[', ']')}}]}`),
    ],
    ['8 MB of escapes', {}, Buffer.from('\\u0041'.repeat(1_300_000))],
  ];
  const passed: string[] = [];
  const before = process.memoryUsage.rss();
  let peak = before;
  for (const [name, headers, body] of responses) {
    const server = createServer((_, response) => response.writeHead(200, headers).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const client = new HttpApiClient({
      baseUrl,
      apiKey: new Secret('tl_live_proof-of-bounds'),
      timeoutMs: 20_000,
    });
    try {
      const decoded = decodeResponse(ASK, await client.send(ASK));
      if (decoded.kind !== 'videos' || decoded.items.length > 1) passed.push(`${name}: decoded`);
    } catch (error) {
      if (error instanceof RangeError) passed.push(`${name}: ${error.message}`);
    }
    peak = Math.max(peak, process.memoryUsage.rss());
    await client.close();
    server.closeAllConnections();
    server.close();
  }
  const measured = `memory grew by ${Math.max(0, Math.round((peak - before) / 1e6))} MB at most`;
  return {
    what: 'responses of an upstream that unpack to much or are nested deep',
    tried: responses.length,
    passed,
    measured,
  };
};
