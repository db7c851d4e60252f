import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { smallWorld, WORLD_AT } from './small-world.ts';

/** A request as it arrived: the truth about what was sent. */
export interface Arrival {
  line: string;
  authorization: string | undefined;
  at: number;
}

/** One request, and the answer the service would give if it behaved. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: Record<string, unknown>;
}

/** Misbehaves instead of answering. */
export type Fault = (exchange: Exchange) => void;

/** When to misbehave: on requests that match, from the n-th matching one on, so many times. */
export interface FaultRule {
  fault: Fault;
  on?: RegExp;
  after?: number;
  times?: number;
}

export interface FaultyUpstream {
  baseUrl: string;
  arrivals: Arrival[];
  /** The instant its answers are true at. */
  at: number;
  close(): Promise<void>;
}

/** Answers a JSON body, whole and correct. */
export const answerJson = (
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

/** Chooses the fault that a request, such as `GET /v1/hashtags`, meets; undefined: none. */
export type ChooseFault = (line: string) => Fault | undefined;

/** Whether a rule strikes at its n-th matching request, 0 first. */
const strikes = ({ after = 0, times = 1 }: FaultRule, n: number): boolean =>
  n >= after && n < after + times;

/** The fault of the first rule that strikes. */
const chooseBy = (rules: readonly FaultRule[]): ChooseFault => {
  const seen = new Map<FaultRule, number>();
  return (line) => {
    let fault: Fault | undefined;
    for (const rule of rules) {
      if (rule.on?.test(line) === false) continue;
      const n = seen.get(rule) ?? 0;
      seen.set(rule, n + 1);
      if (strikes(rule, n)) fault ??= rule.fault;
    }
    return fault;
  };
};

/**
 * The small world behind HTTP on a free port, with faults where the rules say. It keeps a log of
 * every arrival.
 */
export const startFaultyUpstream = async (
  faults: readonly FaultRule[] | ChooseFault = [],
): Promise<FaultyUpstream> => {
  const arrivals: Arrival[] = [];
  const choose = typeof faults === 'function' ? faults : chooseBy(faults);
  // idle connections stay open: a busy machine's timer would close them under requests not yet read
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const line = `${request.method} ${request.url}`;
    const { authorization } = request.headers;
    arrivals.push({ line, authorization, at: performance.now() });
    response.on('error', () => {}); // clients that have seen enough hang up
    const body = smallWorld(new URL(request.url ?? '', 'http://world'), upstream.at);
    const fault = choose(line);
    if (fault !== undefined) fault({ request, response, body: { ...body } });
    else if (body === undefined) answerJson(response, { title: 'not found' }, 404);
    else answerJson(response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const upstream: FaultyUpstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    arrivals,
    at: WORLD_AT,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return upstream;
};
