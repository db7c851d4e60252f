import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import type { Clock } from '../clock.ts';
import { messageOf, UsageError } from '../errors.ts';
import type { ModelSettings } from '../lab/model.ts';
import { openLake, openLakeForReading } from '../lake/open.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { refreshSearch } from '../search/search-index.ts';
import type { HookSecret } from '../webhooks/hook-proof.ts';
import { HttpPoster } from '../webhooks/post.ts';
import { logAnswered } from './access-log.ts';
import { refusalOf, serviceApp } from './app.ts';
import { Admission } from './auth/admission.ts';
import { CountTogether } from './auth/count-together.ts';
import { Limiter } from './auth/limits.ts';
import { openServiceDb } from './auth/service-db.ts';
import { AnswerCache } from './cache/answer-cache.ts';
import { ChangeTimes } from './cache/change-times.ts';
import { HeavyReads, type ReadLimits } from './cache/heavy-reads.ts';
import { LakeCache } from './cache/lake-cache.ts';
import type { Exchange, ServiceContext } from './context.ts';
import { problemResponse, RefusedError } from './problems.ts';
import { routesOf } from './route-of.ts';

export interface ServiceOptions {
  readonly dataDir: string;
  /** Time of limits and, unless `at` is given, of answers. */
  readonly clock: Clock;
  /** Time of the machine, whatever time is shown: how long to wait, and what takes too long. */
  readonly machine: Clock;
  /** Default 127.0.0.1: reachable from this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * Unix ms at which the answers' clock stands still, or what tells their time; limits go on in
   * `clock`'s time.
   */
  readonly at?: number | (() => number);
  /** Shared with the upstream; without it `POST /hooks/upstream` is off. */
  readonly hookSecret?: HookSecret | undefined;
  /** Receives a line for each request and each failure; silent unless given. */
  readonly log?: Logger;
  /** Without a log: receives a line for each thing that failed unexpectedly. */
  readonly report?: (sentence: string) => void;
  /** Puts analyses into words; statistical without one. */
  readonly model?: ModelSettings | undefined;
  /** What `/metrics` tells; without it there is no such address. */
  readonly metrics?: Metrics | undefined;
  /** Origins whose pages may read answers in a browser; none by default. */
  readonly corsOrigins?: readonly string[];
  /** What one request may cost the others, where it is not as usual. */
  readonly readLimits?: Partial<ReadLimits>;
}

/** A service that is listening. `url` ends in `/v1`. */
export interface RunningService {
  readonly url: string;
  readonly dashboard: string;
  /** Takes no new requests, lets those under way end (5 s at most), then lets go of the lake. */
  close(): Promise<void>;
}

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};
const PAGE_CACHE_KIB = 16 * 1024;
/** Answers, lists, counts and instants that are remembered. */
const CACHE_BYTES = 20_000_000;
const WRITER_CACHE_KIB = 2 * 1024; // subscriptions only
/** Waiting for another writer holds up every request; long, and those that came meanwhile would seem late. */
const WAIT_FOR_LAKE_MS = 2000;
/** Counting is tried again, so that others are answered in between. */
const WAIT_FOR_KEYS_MS = 50;
const SILENT_SOCKET_MS = 120_000;
const IDLE_CHECK_MS = 20;
const STOP_GRACE_MS = 5000; // a process has ten seconds for all it does to stop

const listen = async (server: Server, host: string, port: number): Promise<number> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new UsageError(
      `The service cannot listen on ${host}:${port}: ${messageOf(error)}. Choose another --port (0 picks a free one) or --host.`,
      { cause: error },
    );
  }
  return (server.address() as AddressInfo).port;
};

/** Ends a server; whoever is answered until then is told not to send more over that connection. */
const closeServer = async (
  server: Server,
  underWay: ReadonlyMap<ServerResponse, Exchange>,
  machine: Clock,
): Promise<void> => {
  const closed = once(server, 'close');
  const isLast = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  for (const response of underWay.keys()) isLast(response);
  server.prependListener('request', (_request, response) => isLast(response));
  server.close();
  const isClosed = new AbortController();
  const { signal } = isClosed;
  const untilClosed = async (): Promise<void> => {
    const startedAt = machine.monotonic();
    for (;;) {
      await machine.sleep(IDLE_CHECK_MS, signal);
      server.closeIdleConnections();
      if (machine.monotonic() - startedAt > STOP_GRACE_MS) server.closeAllConnections();
    }
  };
  untilClosed().catch(() => {}); // it is closed
  await closed;
  isClosed.abort();
};

/** Answers what is not HTTP, or too much of it, with a problem as well. */
const answerUnreadable = async (error: NodeJS.ErrnoException, socket: Duplex): Promise<void> => {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The headers are larger than 16 KiB.'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'The request did not arrive in time.'
        : 'The request is not readable as HTTP/1.1.';
  const body = await problemResponse(new RefusedError('invalid-parameter', detail)).text();
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
};

/** An address or a Host that is none is the sender's mistake. */
const unreadableOr = (error: unknown, log: Logger): RefusedError =>
  error instanceof RequestError
    ? new RefusedError(
        'invalid-parameter',
        `The address or the Host header cannot be read: ${error.message}.`,
      )
    : refusalOf(error, log);

const failuresOnly = (report: ServiceOptions['report']): Logger =>
  report === undefined
    ? pino({ level: 'silent' })
    : pino({ level: 'error', base: null }, { write: (line) => report(line.trimEnd()) });

/**
 * Serves a lake (an empty one is made where there is none) until closed.
 * @throws UsageError when the address is taken or the data directory cannot be used
 */
export const startService = async (options: ServiceOptions): Promise<RunningService> => {
  const {
    dataDir,
    clock,
    machine,
    at,
    host = '127.0.0.1',
    port = 0,
    corsOrigins = [],
    metrics,
  } = options;
  const log = options.log ?? failuresOnly(options.report);
  const writer = openLake(dataDir); // makes or migrates it; subscriptions are written through it
  refreshSearch(writer.sqlite); // words that came by other hands than a load
  writer.sqlite.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  const serviceDb = openServiceDb(dataDir);
  writer.sqlite.pragma(`busy_timeout = ${WAIT_FOR_LAKE_MS}`);
  serviceDb.pragma(`busy_timeout = ${WAIT_FOR_KEYS_MS}`);
  const now = typeof at === 'function' ? at : () => at ?? clock.now();
  const admission = new Admission(new CountTogether(new Limiter(serviceDb), { clock, machine }));
  const cache = new LakeCache(CACHE_BYTES);
  const reads = new HeavyReads(lake, { cache, clock: machine, limits: options.readLimits });
  const poster = new HttpPoster({ clock });
  const context: ServiceContext = {
    ...{ lake, reads, serviceDb, now, clock, model: options.model },
    answers: new AnswerCache(cache),
    changes: new ChangeTimes(lake, cache),
  };
  const webhooks = { writer, poster, hookSecret: options.hookSecret };
  const app = serviceApp(context, webhooks, { admission, log, corsOrigins, metrics });
  const routeOf = routesOf(app);
  const underWay = new Map<ServerResponse, Exchange>();
  const answer = getRequestListener(
    (request, { incoming, outgoing }) => {
      const exchange = underWay.get(outgoing as ServerResponse); // HTTP/1.1 only
      return app.fetch(request, { incoming, outgoing, exchange });
    },
    {
      hostname: 'localhost', // where the sender names none: HTTP/1.0
      errorHandler: (error) => problemResponse(unreadableOr(error, log)),
    },
  );
  const server = createServer(TIMEOUTS, (request, response) => {
    const from = clock.monotonic();
    const exchange: Exchange = {};
    underWay.set(response, exchange);
    response.on('close', () => {
      underWay.delete(response);
      const tookMs = clock.monotonic() - from;
      logAnswered(log, request, response, { keyId: exchange.keyId, tookMs });
      const { method = '', url = '' } = request;
      // as other servers count a client that left before its answer: nothing was answered
      const status = response.writableFinished ? response.statusCode : 499;
      metrics?.count({ method, route: routeOf(method, url), status, tookMs });
    });
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    void answer(request, response);
  });
  server.setTimeout(SILENT_SOCKET_MS);
  server.on('clientError', (error, socket) => void answerUnreadable(error, socket));
  const release = async (): Promise<void> => {
    await reads.close();
    await poster.close();
    serviceDb.close();
    lake.close();
    writer.close();
  };
  try {
    const bound = await listen(server, host, port);
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    return {
      url: `${origin}/v1`,
      dashboard: `${origin}/`,
      close: async () => {
        await closeServer(server, underWay, machine);
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
};
