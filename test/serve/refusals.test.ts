import { request as rawRequest } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const get: Running['get'] = (path, init) => running.get(path, init);

beforeAll(async () => {
  running = await runService((into) => {
    into.video({ id: 'tt_1', snapshots: [[hoursAgo(1), 1]] });
  });
});

const expectProblem = (got: Awaited<ReturnType<typeof get>>, status: number, slug: string) => {
  expect(got.headers.get('content-type')).toBe('application/problem+json');
  expect(got.body).toMatchObject({ type: `/problems/${slug}`, status });
  expect(got.body.title).toBeTypeOf('string');
  expect(got.body.detail).toBeTypeOf('string');
  expect(got.status).toBe(status);
};

describe('bad parameters are 400 and name the parameter', () => {
  const LIST = '/feed/tiktok';
  test.each([
    [`${LIST}?limit=0`, 'limit'],
    [`${LIST}?limit=101`, 'limit'],
    [`${LIST}?limit=-1`, 'limit'],
    [`${LIST}?limit=1.5`, 'limit'],
    [`${LIST}?limit=1e1`, 'limit'],
    [`${LIST}?limit=05`, 'limit'],
    [`${LIST}?limit=`, 'limit'],
    [`${LIST}?limit=%20`, 'limit'],
    [`${LIST}?limit=٣`, 'limit'],
    [`${LIST}?limit=1&limit=1`, 'limit'],
    [`${LIST}?limit=99999999999999999999999`, 'limit'],
    [`${LIST}?page=0`, 'page'],
    [`${LIST}?page=9007199254740992`, 'page'],
    [`${LIST}?page=NaN`, 'page'],
    [`${LIST}?dateRange=24`, 'dateRange'],
    [`${LIST}?dateRange=0h`, 'dateRange'],
    [`${LIST}?dateRange=367d`, 'dateRange'],
    [`${LIST}?dateRange=1m`, 'dateRange'],
    [`${LIST}?dateRange=24h&dateRange=24h`, 'dateRange'],
    [`${LIST}?asOf=yesterday`, 'asOf'],
    [`${LIST}?asOf=2026-02-30`, 'asOf'],
    [`${LIST}?asOf=`, 'asOf'],
    ['/hashtags?platform=vine', 'platform'],
    ['/hashtags?platform=', 'platform'],
    ['/trends/tiktok/day?limit=x', 'limit'],
    ['/search', 'q'],
    ['/search?q=', 'q'],
    ['/search?q=%20%20', 'q'],
    [`/search?q=${'x'.repeat(201)}`, 'q'],
    ['/search?q=a&q=b', 'q'],
    ['/events?kind=party', 'kind'],
    ['/events?since=soon', 'since'],
    ['/videos/tt_1?asOf=x', 'asOf'],
    ['/videos/tt_1/growth?asOf=x', 'asOf'],
    ['/creators/tiktok/a?asOf=x', 'asOf'],
    ['/usage?asOf=x', 'asOf'],
  ])('%s', async (path, parameter) => {
    const got = await get(path);
    expectProblem(got, 400, 'invalid-parameter');
    expect(got.body.errors).toEqual([{ parameter, detail: expect.any(String) }]);
  });

  test('all of them are named at once', async () => {
    const { body } = await get(`${LIST}?limit=x&page=y&dateRange=z`);
    expect((body.errors as { parameter: string }[]).map(({ parameter }) => parameter)).toEqual([
      'limit',
      'page',
      'dateRange',
    ]);
  });

  test('unknown parameters are ignored, and named', async () => {
    for (let times = 0; times < 3; times++) {
      const { status, headers } = await get(`${LIST}?utm_source=x&limit=1&tag=%20`);
      expect(status).toBe(200);
      expect(headers.get('x-ignored-parameters')).toBe('utm_source, tag');
    }
    expect((await get(LIST)).headers.get('x-ignored-parameters')).toBeNull();
  });

  test.each([
    ['datRange', 'dateRange'],
    ['date_range', 'dateRange'],
    ['Limit', 'limit'],
    ['limti', 'limit'],
    ['pages', 'page'],
    ['as_of', 'asOf'],
  ])('%s is refused, naming %s', async (written, meant) => {
    const { status, body } = await get(`${LIST}?${written}=1`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { parameter: written, detail: `There is no such parameter. Did you mean ${meant}?` },
    ]);
  });
});

test.each([
  ['/feed/vine', 'tiktok, instagram, youtube'],
  ['/feed/TikTok', 'tiktok, instagram, youtube'],
  ['/trends/tiktok/year', 'day, week, month'],
  ['/trends/vine/day', 'tiktok, instagram, youtube'],
  ['/creators/vine/a', 'tiktok, instagram, youtube'],
  ['/feed/vine?limit=0', 'tiktok, instagram, youtube'],
])('an unknown name in a path is 404 naming the known ones: %s', async (path, known) => {
  const got = await get(path);
  expectProblem(got, 404, 'not-found');
  expect(got.body.detail).toContain(known);
});

test.each([
  '/',
  '/nope',
  '/feed',
  '/feed/tiktok/',
  '/videos',
  '/videos/tt_none/growth',
  '/%00',
  '/feed/%E0%A4%A',
])('nothing there is 404: %s', async (path) => expectProblem(await get(path), 404, 'not-found'));

describe('keys', () => {
  const withHeader = (authorization?: string) =>
    get('/feed/vine?limit=x', { headers: authorization === undefined ? {} : { authorization } });
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'tl_live_x',
    'Bearer a b',
    `Bearer ${'x'.repeat(2000)}`,
  ])('no usable key is 401 before anything else: %s', async (header) => {
    const got = await withHeader(header);
    expectProblem(got, 401, 'missing-key');
    expect(got.headers.get('www-authenticate')).toContain('Bearer');
    expect(got.headers.get('ratelimit')).toBeNull();
  });
  test('a key that is nearly right is 401', async () => {
    expectProblem(await withHeader(`Bearer ${running.key.slice(0, -1)}`), 401, 'unknown-key');
    expectProblem(await withHeader(`Bearer ${running.key}x`), 401, 'unknown-key');
    expectProblem(await withHeader(`Bearer ${running.key.toUpperCase()}`), 401, 'unknown-key');
  });
  test('the scheme is not case-sensitive', async () => {
    expect(
      (await get('/feed/tiktok', { headers: { authorization: `bearer ${running.key}` } })).status,
    ).toBe(200);
  });
  test('a key without the scope is 403', async () => {
    const lab = { headers: { authorization: `Bearer ${running.newKey({ scopes: ['lab'] })}` } };
    expectProblem(await get('/feed/tiktok', lab), 403, 'forbidden');
    expect((await get('/openapi.json', lab)).status).toBe(200); // as without a key
    const read = { authorization: `Bearer ${running.newKey({ scopes: ['read'] })}` };
    expectProblem(await get('/lab/analyze', { method: 'POST', headers: read }), 403, 'forbidden');
  });
});

test('another method is 405 and says which', async () => {
  const headers = { authorization: `Bearer ${running.key}` };
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const got = await get('/feed/tiktok', { method, headers });
    expectProblem(got, 405, 'method-not-allowed');
    expect(got.headers.get('allow')).toBe('GET, HEAD');
  }
  const lab = await get('/lab/analyze');
  expectProblem(lab, 405, 'method-not-allowed');
  expect(lab.headers.get('allow')).toBe('POST');
});

describe('bodies', () => {
  const post = (body: string, type: string | undefined = 'application/json') =>
    get('/lab/analyze', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${running.key}`, 'content-type': type },
    });
  test.each([
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{"id":5}',
    '{"id":""}',
    '{"ID":"x"}',
    `{"id":"${'x'.repeat(129)}"}`,
    '['.repeat(30_000),
  ])('a broken or mistyped one is 400: %#', async (body) =>
    expectProblem(await post(body), 400, 'invalid-parameter'),
  );
  test('one over 64 KiB is 413', async () => {
    expectProblem(
      await post(JSON.stringify({ id: 'x', pad: 'y'.repeat(66_000) })),
      413,
      'payload-too-large',
    );
  });
  test('another type is 415', async () => {
    expectProblem(
      await post('id=x', 'application/x-www-form-urlencoded'),
      415,
      'unsupported-media-type',
    );
  });
});

describe('what is hardly HTTP', () => {
  const port = () => Number(new URL(running.service.url).port);
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port(), '127.0.0.1', () => socket.write(text));
      let got = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        got += chunk;
      });
      socket.on('close', () => resolve(got)).on('error', reject);
    });
  test.each([
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\nbad header\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    'GET /v1/feed\\tiktok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'GET /v1/feed HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  ])('is 400 with a problem: %#', async (text) => {
    const got = await raw(text);
    expect(got).toMatch(/^HTTP\/1.1 400 /);
    expect(got).toContain('/problems/invalid-parameter');
  });
  test('HTTP/1.0 needs no Host, as probes of load balancers send it', async () => {
    expect(await raw('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });
  test.each([
    '/v1/videos/../../etc/passwd',
    '/v1/videos/%2e%2e/growth',
    '//v1//feed',
    '/v1/feed/tiktok?%',
    '/v1/feed/tiktok?limit=%FF',
  ])(
    'an odd address never fails here: %s',
    (path) =>
      new Promise<void>((resolve, reject) => {
        rawRequest(
          { port: port(), path, headers: { authorization: `Bearer ${running.key}` } },
          (answer) => {
            answer.resume().on('end', () => {
              expect(answer.statusCode).toBeLessThan(500);
              resolve();
            });
          },
        )
          .on('error', reject)
          .end();
      }),
  );
});
