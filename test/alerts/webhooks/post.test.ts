import { execFile } from 'node:child_process';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DeliveryAttempt, HttpPoster } from '../../../src/alerts/webhooks/post.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secret.ts';
import { HttpApiClient } from '../../../src/upstream/client.ts';
import { SELF_SIGNED } from '../../support/self-signed.ts';

/** Listens on a free port of this machine until the test ends. */
const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const posted = async (url: string): Promise<DeliveryAttempt> => {
  const poster = new HttpPoster({ clock: systemClock });
  try {
    return await poster.post({ url, body: '{}', headers: {}, loopback: true });
  } finally {
    await poster.close();
  }
};

describe('a post', () => {
  test('gives up on a receiver that goes on informing it', async () => {
    let sent = 0;
    const port = await listening(
      createServer((socket) => {
        const inform = (): void => {
          sent += 1;
          socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', () =>
            setImmediate(inform),
          );
        };
        socket.on('error', () => socket.destroy());
        socket.once('data', inform);
        socket.once('close', () => {
          socket.removeAllListeners('data');
          socket.write = () => false;
        });
      }),
    );
    const { error, status } = await posted(`http://127.0.0.1:${port}/`);
    expect({ error, status }).toEqual({
      error: 'it sent more than 20 informational responses',
      status: null,
    });
    expect(sent).toBeGreaterThan(20);
  });

  test('states why a request got no response without showing an address', async () => {
    const { error } = await posted('http://localhost:1/');
    expect(error).toBe('nothing listens there');
  });

  test('ends its connection', async () => {
    let open = 0;
    const port = await listening(
      createServer((socket) => {
        open += 1;
        socket.once('close', () => {
          open -= 1;
        });
        socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
      }),
    );
    expect(await posted(`http://127.0.0.1:${port}/`)).toMatchObject({ error: null, status: 204 });
    await expect.poll(() => open).toBe(0);
  });

  test.skipIf(process.platform === 'win32')(
    'that fails for want of file descriptors does not keep the next from being sent',
    async () => {
      const program = fileURLToPath(new URL('poster-short-of-files.ts', import.meta.url));
      const { stdout } = await promisify(execFile)('sh', [
        '-c',
        'ulimit -n 128; exec "$0" "$@"',
        process.execPath,
        program,
      ]);
      expect(JSON.parse(stdout)).toEqual({ error: 'the connection failed (EMFILE)', status: 200 });
    },
  );
});

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  afterEach(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  const secureServer = async (asked: string[]): Promise<number> => {
    const server = createSecureServer(SELF_SIGNED, (request, response) => {
      asked.push(request.url ?? '');
      response.end('{}');
    });
    return await listening(server as unknown as Server);
  };

  test('lets no webhook go to whom nobody vouches for', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const asked: string[] = [];
    const { error } = await posted(`https://127.0.0.1:${await secureServer(asked)}/hook`);
    expect(error).toMatch(/certificate is not trusted/);
    expect(asked).toEqual([]);
  });

  test('lets no call go to whom nobody vouches for', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const asked: string[] = [];
    const client = new HttpApiClient({
      baseUrl: `https://127.0.0.1:${await secureServer(asked)}/v1`,
      apiKey: new Secret('tl_live_never-to-be-sent-there'),
      timeoutMs: 5000,
    });
    await expect(client.send({ kind: 'growth', platform: 'tiktok', id: 'tt_1' })).rejects.toThrow(
      /certificate/,
    );
    await client.close();
    expect(asked).toEqual([]);
  });
});
