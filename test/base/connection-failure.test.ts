import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { connectionFailure } from '../../src/base/connection-failure.ts';
import { EXPIRED, SELF_SIGNED } from '../support/self-signed.ts';

const portOf = async (server: unknown): Promise<number> => {
  const listening = server as Server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listening.close());
  return (listening.address() as AddressInfo).port;
};
const plain = () => createServer((_, response) => response.end('{}'));
const secure = (certificate: { key: string; cert: string } = SELF_SIGNED) =>
  createSecureServer(certificate, (_, response) => response.end('{}'));
const other = () =>
  createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.9\r\n'));

/** Explanation of a failed request. */
const failureOf = async (scheme: string, server: unknown, connect = {}): Promise<string> => {
  const dispatcher = new Agent({ connect });
  onTestFinished(() => dispatcher.destroy());
  const asked = request(`${scheme}://127.0.0.1:${await portOf(server)}/`, { dispatcher });
  return connectionFailure(await asked.catch((error: unknown) => error)) ?? 'not explained';
};

test.each<[string, string, () => unknown, RegExp, object?]>([
  ['https to plain HTTP', 'https', plain, /does not speak TLS; the address must begin with http:/],
  ['https to another protocol', 'https', other, /does not speak TLS/],
  ['http to TLS', 'http', secure, /closed before a byte.*address must begin with https:/],
  ['http to another protocol', 'http', other, /is not HTTP; if the port speaks TLS/],
  ['a certificate nobody vouches for', 'https', secure, /not trusted.*NODE_EXTRA_CA_CERTS adds/],
  [
    'an expired certificate',
    'https',
    () => secure(EXPIRED),
    /has expired; its operator must renew it/,
    { ca: EXPIRED.cert },
  ],
  [
    'a certificate for another host',
    'https',
    secure,
    /for another name; use the host name/,
    { ca: SELF_SIGNED.cert, servername: 'elsewhere.test' },
  ],
  [
    'no version of TLS in common',
    'https',
    () => createSecureServer({ ...SELF_SIGNED, maxVersion: 'TLSv1.2' }),
    /TLS handshake failed \(ERR_SSL_/,
    { minVersion: 'TLSv1.3' },
  ],
])(
  '%s is explained in a sentence that says what to do',
  async (_, scheme, server, why, connect = {}) => {
    const told = await failureOf(scheme, server(), connect);
    expect(told).toMatch(why);
    expect(told).not.toMatch(/SSL routines|deps\/|127\.0\.0\.1/);
  },
);
