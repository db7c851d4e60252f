import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Dialect } from './dialects.ts';
import { type DialectRequest, type OwnService, speakDialect } from './speak-dialect.ts';

/** A server that speaks a dialect. `url` ends in `/v1`. */
export interface DialectServer {
  readonly url: string;
  close(): Promise<void>;
}

const HEADERS = ['authorization', 'content-type'];

const requestOf = async (message: IncomingMessage): Promise<DialectRequest> => {
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://localhost');
  const path = pathname
    .replace(/^\/v1\//, '')
    .split('/')
    .map(decodeURIComponent);
  const { method = 'GET' } = message;
  const headers = Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = message.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const request = { method, path, query: searchParams, headers };
  return method === 'POST' ? { ...request, body: await text(message) } : request;
};

/** Serves a dialect over our own service, on 127.0.0.1. */
export const startDialectServer = async (
  dialect: Dialect,
  service: OwnService,
  { port = 0, onRequest = () => {} }: { port?: number; onRequest?: (line: string) => void } = {},
): Promise<DialectServer> => {
  const respond = speakDialect(dialect, service);
  const server = createServer((message, response) => {
    onRequest(`${message.method} ${message.url}`);
    requestOf(message)
      .then(respond)
      .then(({ status, headers, body }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(body === undefined ? '' : JSON.stringify(body));
      })
      .catch(() => {
        response.writeHead(502, { 'content-type': 'application/json' });
        response.end('{"error":{"message":"The service behind the dialect did not answer."}}');
      });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Our own service over HTTP, asked with the caller's key. */
export const serviceAt =
  (url: string): OwnService =>
  async ({ method, path, query, headers, body }) => {
    const where = `${url}/${path.map(encodeURIComponent).join('/')}?${query}`;
    const response = await fetch(where, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const kept = Object.fromEntries(
      [...response.headers].filter(([name]) => /^(ratelimit|retry-after|date)/.test(name)),
    );
    return { status: response.status, headers: kept, body: await response.json() };
  };
