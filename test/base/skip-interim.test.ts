import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HttpPoster } from '../../src/alerts/webhooks/post.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Secret } from '../../src/base/secret.ts';
import { HttpApiClient } from '../../src/upstream/client.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const BODY = 'HTTP/1.1 100 Continue\r\n\r\n{}'; // of a response it is a part like any other
const OK = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`;

/** A server that writes these pieces for each request, each in a separate packet. */
const serverOf = async (pieces: readonly string[]): Promise<number> => {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      const next = (index: number): void => {
        const piece = pieces[index];
        if (piece !== undefined) socket.write(piece, () => setImmediate(next, index + 1));
      };
      next(0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const REQUEST = { kind: 'growth', platform: 'tiktok', id: 'tt_1' } as const;

test.each<[string, string[]]>([
  ['before the response', [CONTINUE, OK]],
  ['in one packet with it', [CONTINUE + OK]],
  ['several times', [CONTINUE + CONTINUE, CONTINUE + OK]],
  ['with headers', ['HTTP/1.1 100 \r\nx-hint: a\r\nx-more: b\r\n\r\n', OK]],
  ['byte by byte', [...CONTINUE, ...OK]],
  ['after 103', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', CONTINUE, OK]],
  ['before 103', [`${CONTINUE}HTTP/1.1 103 Early Hints\r\n`, `\r\n${OK}`]],
  ['never', [OK]],
  ['never, the response byte by byte', [...OK]],
])('100 Continue %s: skipped by calls and by webhooks', async (_, pieces) => {
  const port = await serverOf(pieces);
  const client = new HttpApiClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: new Secret('tl_live_whatever'),
    timeoutMs: 20_000,
  });
  const poster = new HttpPoster({ clock: systemClock });
  onTestFinished(async () => {
    await client.close();
    await poster.close();
  });
  for (const turn of [1, 2]) {
    const { status, body } = await client.send(REQUEST); // the second over the same connection
    expect({ turn, status, body: body.toString() }).toEqual({ turn, status: 200, body: BODY });
  }
  const letter = { url: `http://127.0.0.1:${port}/`, body: '{}', headers: {}, loopback: true };
  expect(await poster.post(letter)).toMatchObject({ error: null, status: 200, answer: BODY });
});

test('101, which nobody asked for either, ends the call', async () => {
  const port = await serverOf([
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ]);
  const client = new HttpApiClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: new Secret('tl_live_whatever'),
    timeoutMs: 20_000,
  });
  await expect(client.send(REQUEST)).rejects.toThrow(/the connection was closed/);
  await client.close();
});

test('100 Continue for ever ends the call', async () => {
  const port = await serverOf(Array.from({ length: 1000 }, () => CONTINUE));
  const client = new HttpApiClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: new Secret('tl_live_whatever'),
    timeoutMs: 20_000,
  });
  await expect(client.send(REQUEST)).rejects.toThrow(/the connection was closed/);
  await client.close();
});
