import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { readWish } from '../../../src/alerts/webhooks/subscription-wish.ts';
import { addSubscription } from '../../../src/alerts/webhooks/subscriptions.ts';
import type { Lake } from '../../../src/lake/open.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface MadeEndpoint {
  readonly url: string;
  readonly received: Received[];
  /** TCP connections that were opened to it. */
  connections(): number;
}

/** A real HTTP server on a free port of this machine, gone when the test ends. */
export const madeEndpoint = async (
  answer: (response: ServerResponse, count: number) => void = (response) => {
    response.writeHead(204).end();
  },
): Promise<MadeEndpoint> => {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') });
      answer(response, received.length);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, connections: () => connections };
};

/** Subscribes an endpoint of this machine, as the operator would. */
export const subscribe = (
  lake: Lake,
  url: string,
  filter: { events?: string[]; platforms?: string[]; subjects?: string[] } = {},
): { id: string; secret: string } =>
  addSubscription(lake, readWish({ url, ...filter, allowLoopbackHttp: true }, true), {
    now: 0,
    owner: undefined,
  });
