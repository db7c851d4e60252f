import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';
import { decodeResponse } from '../../src/upstream/decode/decode.ts';
import { judge } from '../../src/upstream/judge.ts';

const KEY = 'tl_live_never-to-be-seen_anywhere/1234567890';
const request = {
  kind: 'feed',
  platform: 'tiktok',
  dateRange: '24h',
  limit: 50,
  page: 1,
  offset: 0,
} as const;

/** The response of a service that says `body`, as the client gives it. */
const answerTo = async (body: string, status = 200, headers: Record<string, string> = {}) => {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const client = new HttpApiClient({ baseUrl, apiKey: new Secret(KEY), timeoutMs: 5000 });
  try {
    return await client.send(request);
  } finally {
    await client.close();
  }
};

const escaped = [...KEY]
  .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  .join('');

test.each([
  ['as it is', KEY],
  ['with \\u escapes', escaped],
  ['with \\/ escapes', KEY.replaceAll('/', '\\/')],
  ['in an address', encodeURIComponent(KEY).replaceAll('_', '%5F')],
  ['in HTML', KEY.replaceAll('_', '&#95;').replaceAll('/', '&#x2F;')],
  ['in base64', Buffer.from(`Bearer ${KEY}`).toString('base64')],
])('a key that the service says back %s is gone before anything is kept', async (_, stated) => {
  const video = `{"id": "tt_1", "title": "t ${stated}", "${stated}": 7, "views": "${stated}"}`;
  const response = await answerTo(`{"items": [${video}], "total": 1}`, 200, { 'x-echo': KEY });
  const decoded = decodeResponse(request, response);
  for (const text of [
    JSON.stringify(decoded),
    response.body.toString(),
    JSON.stringify(response.headers),
  ]) {
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(stated);
  }
  expect(decoded).toMatchObject({ kind: 'videos', items: [{ item: { id: 'tt_1' } }] });
  expect(JSON.stringify(decoded)).toContain('[hidden]');

  const refused = judge(await answerTo(`{"detail": "no such key: ${stated}"}`, 404), 0);
  expect(refused?.message).toContain('[hidden]');
});

test('the result of an accepted request at another host is not asked for: the key stays', async () => {
  const client = new HttpApiClient({
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: new Secret(KEY),
    timeoutMs: 5000,
  });
  onTestFinished(() => client.close());
  const sent = client.send({ ...request, location: 'http://127.0.0.2:9/v1/results/1' });
  await expect(sent).rejects.toThrow(/not the host of TRENDLAKE_BASE_URL/);
});
