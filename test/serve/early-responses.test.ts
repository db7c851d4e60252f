import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request as nodeRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../support/fresh.ts';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
let readOnly: string;
let spent: string;
beforeAll(async () => {
  running = await runService((into) => into.video({ id: 'tt_1', snapshots: [[hoursAgo(2), 5]] }));
  readOnly = running.newKey({ scopes: ['read'] });
  spent = running.newKey({ ratePerMinute: 1 });
  await running.get('/usage', { headers: { authorization: `Bearer ${spent}` } });
});

/** A request with a body that its response does not wait for. */
interface Early {
  readonly why: string;
  readonly path: string;
  readonly status: number;
  readonly headers: () => Record<string, string>;
}
const bearer = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});
const EARLY: readonly Early[] = [
  { why: 'no key', path: '/lab/analyze', status: 401, headers: () => ({}) },
  { why: 'no scope', path: '/lab/analyze', status: 403, headers: () => bearer(readOnly) },
  { why: 'no such address', path: '/nope', status: 404, headers: () => bearer(running.key) },
  { why: 'no such method', path: '/feed/tiktok', status: 405, headers: () => bearer(running.key) },
  { why: 'a spent minute', path: '/lab/analyze', status: 429, headers: () => bearer(spent) },
  {
    why: 'another type',
    path: '/lab/analyze',
    status: 415,
    headers: () => ({ ...bearer(running.key), 'content-type': 'text/plain' }),
  },
  {
    why: 'a compressed body',
    path: '/lab/analyze',
    status: 415,
    headers: () => ({ ...bearer(running.key), 'content-encoding': 'gzip' }),
  },
];
const LARGE: Early = {
  why: 'too much',
  path: '/lab/analyze',
  status: 413,
  headers: () => bearer(running.key),
};

/** Sends a body of this size, with Content-Length or in chunks, and returns the status. */
type Send = (early: Early, body: { bytes: number; chunked: boolean }) => Promise<number>;
/** One client: a way to send, and to ask for something else afterwards. */
interface Client {
  readonly send: Send;
  readonly next: () => Promise<number>;
}

const PIECE = Buffer.alloc(16 * 1024, 'x');
const pieces = (bytes: number): Readable =>
  Readable.from(Array.from({ length: Math.ceil(bytes / PIECE.length) }, () => PIECE));
const path = (of: string): string => `/v1${of}`;

const clients: Record<string, () => Client> = {
  'a pool of undici': () => {
    const pool = new Pool(new URL(running.service.url).origin, { connections: 1 });
    onTestFinished(() => pool.destroy());
    const ask = async (options: Parameters<Pool['request']>[0]): Promise<number> => {
      const { statusCode, body } = await pool.request(options);
      await body.text();
      return statusCode;
    };
    return {
      send: (early, { bytes, chunked }) =>
        ask({
          method: 'POST',
          path: path(early.path),
          headers: early.headers(),
          body: chunked ? pieces(bytes) : Buffer.alloc(bytes, 'x'),
        }),
      next: () => ask({ method: 'GET', path: path('/feed/tiktok'), headers: bearer(running.key) }),
    };
  },
  "Node's agent": () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = (
      method: string,
      of: string,
      headers: Record<string, string>,
      body: Readable | undefined,
    ): Promise<number> =>
      new Promise((resolve, reject) => {
        const sent = nodeRequest(`${running.service.url}${of}`, { agent, method, headers });
        sent.once('response', (answer: IncomingMessage) => {
          sent.removeListener('error', reject).on('error', () => {}); // what is left of the body
          void text(answer).then(() => {
            sent.destroy();
            resolve(answer.statusCode ?? 0);
          }, reject);
        });
        sent.once('error', reject);
        if (body === undefined) sent.end();
        else body.pipe(sent);
      });
    return {
      send: (early, { bytes, chunked }) =>
        ask(
          'POST',
          early.path,
          { ...early.headers(), ...(chunked ? {} : { 'content-length': String(bytes) }) },
          chunked ? pieces(bytes) : Readable.from([Buffer.alloc(bytes, 'x')]),
        ),
      next: () => ask('GET', '/feed/tiktok', bearer(running.key), undefined),
    };
  },
  curl: () => {
    const curl = async (...args: string[]): Promise<number> => {
      const common = ['-s', '-o', '/dev/null', '-w', '%{http_code} ', '--max-time', '30'];
      const { stdout } = await promisify(execFile)('curl', [...common, ...args]);
      return Number(stdout.trim());
    };
    const file = join(freshFolder(), 'body');
    const withHeaders = (headers: Record<string, string>): string[] =>
      Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    return {
      send: (early, { bytes, chunked }) => {
        writeFileSync(file, Buffer.alloc(bytes, 'x'));
        const headers = {
          ...early.headers(),
          ...(chunked ? { 'transfer-encoding': 'chunked' } : {}),
        };
        const url = `${running.service.url}${early.path}`;
        return curl(...withHeaders(headers), '--data-binary', `@${file}`, url);
      },
      next: () => curl(...withHeaders(bearer(running.key)), `${running.service.url}/feed/tiktok`),
    };
  },
};

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const here = Object.entries(clients).filter(([name]) => name !== 'curl' || hasCurl);

describe.each(here)('%s', (_, client) => {
  test.each(EARLY)(
    'has its $status for $why, and its next response, whatever the body',
    async (early) => {
      const { send, next } = client();
      for (const bytes of [10, 60_000, 1_000_000])
        for (const chunked of [false, true]) {
          expect([bytes, chunked, await send(early, { bytes, chunked })]).toEqual([
            bytes,
            chunked,
            early.status,
          ]);
          expect(await next()).toBe(200);
        }
    },
  );

  test('has its 413 and its next response, however much too large', async () => {
    const { send, next } = client();
    for (const bytes of [70_000, 1_000_000, 12_000_000])
      for (const chunked of [false, true]) {
        expect(await send(LARGE, { bytes, chunked })).toBe(413);
        expect(await next()).toBe(200);
      }
  });
});

/** Sends bytes over one connection and reads it to its end. */
const raw = (sent: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(running.service.url).port), '127.0.0.1');
    let got = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      got += chunk;
    });
    socket.on('close', () => resolve(got)).on('error', reject);
    socket.write(sent);
  });
const head = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const post = (...more: string[]): string =>
  head(['POST /v1/lab/analyze HTTP/1.1', 'Host: localhost', ...more]);

describe('what is said of the connection is what happens to it', () => {
  test('a large body nobody reads: it closes, and says so', async () => {
    const got = await raw(post('Content-Length: 1000000'));
    expect(got).toMatch(/^HTTP\/1\.1 401 /);
    expect(got.toLowerCase()).toContain('connection: close');
  });

  test('a small one is dropped, and the connection goes on', async () => {
    const unread = `${post('Content-Length: 5')}xxxxx`;
    const last = head(['GET /health HTTP/1.1', 'Host: localhost', 'Connection: close']);
    const got = await raw(unread + last);
    expect(got.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 200']);
  });

  test('HTTP/1.0 closes after a refusal as after a response', async () => {
    const got = await raw(`${head(['POST /v1/lab/analyze HTTP/1.0', 'Content-Length: 5'])}xxxxx`);
    expect(got).toMatch(/^HTTP\/1\.1 401 /);
    expect(got).toContain('/problems/missing-key');
  });
});

describe('Expect', () => {
  const expecting = (...more: string[]): string => post('Expect: 100-continue', ...more);
  test.each([
    [401, expecting('Content-Length: 10')],
    [413, () => expecting(...key(), 'Content-Type: application/json', 'Content-Length: 70000')],
    [415, () => expecting(...key(), 'Content-Type: text/plain', 'Content-Length: 10')],
  ])('does not send 100 Continue before %i', async (status, sent) => {
    const got = await raw(typeof sent === 'string' ? sent : sent());
    expect(got).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(got.toLowerCase()).toContain('connection: close');
  });
  const key = (): string[] => [`Authorization: Bearer ${running.key}`];

  test('sends 100 Continue when the body is needed', async () => {
    const got = await raw(
      `${expecting(...key(), 'Content-Type: application/json', 'Content-Length: 13', 'Connection: close')}{"id":"tt_1"}`,
    );
    expect(got).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test('anything else is refused in words', async () => {
    const got = await raw(
      head(['GET /health HTTP/1.1', 'Host: localhost', 'Expect: x', 'Connection: close']),
    );
    expect(got).toMatch(/^HTTP\/1\.1 400 /);
    expect(got).toContain('application/problem+json');
    expect(got).toContain('"parameter":"Expect"');
  });
});

test.each([
  ['missing', head(['GET /health HTTP/1.1', 'Connection: close'])],
  ['empty', head(['GET /health HTTP/1.1', 'Host:', 'Connection: close'])],
])('a %s Host is refused in words', async (_, sent) => {
  const got = await raw(sent);
  expect(got).toMatch(/^HTTP\/1\.1 400 /);
  expect(got).toContain('"parameter":"Host"');
});

test('input that is not HTTP gets a problem, and its connection closes', async () => {
  const port = Number(new URL(running.service.url).port);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let got = '';
  const ended = new Promise<unknown>((resolve) => socket.once('error', resolve));
  socket.setEncoding('utf8').on('data', (chunk) => {
    got += chunk;
  });
  const goOn = (): void =>
    void (socket.writable && socket.write('more\r\n', () => setImmediate(goOn)));
  socket.on('end', goOn); // as if it had not heard
  socket.write('nonsense\r\n\r\n');
  expect(await ended).toMatchObject({ code: expect.stringMatching(/^(EPIPE|ECONNRESET)$/) });
  expect(got).toMatch(/^HTTP\/1\.1 400 /);
  socket.destroy();
});
