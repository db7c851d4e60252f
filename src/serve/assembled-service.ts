import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, pino } from 'pino';
import { HttpPoster } from '../alerts/webhooks/post.ts';
import { MOST_OF_A_KEY } from '../alerts/webhooks/subscriptions.ts';
import { hidingKeys } from '../base/hidden-forms.ts';
import type { Opened } from '../base/opened.ts';
import { LakeKeys } from '../lake/keys/key-store.ts';
import { KEY_PREFIX } from '../lake/keys/keys.ts';
import { refusalOf, routesOf, serviceApp } from './app.ts';
import { KeyCheck } from './auth/key-check.ts';
import { Sessions } from './auth/sessions.ts';
import { PageCache } from './cache/page-cache.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { Exposure, urlHost } from './http/exposure.ts';
import { type EndedExchange, HttpServer, type Responding } from './http/http-server.ts';
import { KeylessPace } from './http/keyless-pace.ts';
import { clientGone, problemResponse } from './http/problems.ts';
import { LiveUpdates } from './live/live-updates.ts';
import type { ServiceContext } from './request/context.ts';
import { IdempotentResponses } from './request/idempotency.ts';
import { SqlQueries } from './request/sql-queries.ts';
import type { ServedLake } from './served-lake.ts';
import type { RunningService, ServiceOptions } from './service-options.ts';

/** Replaces keys, encoded ones too. */
const withoutKeys = hidingKeys(KEY_PREFIX);

const LONGEST_ADDRESS = 500;

const shortened = (address: string): string =>
  address.length > LONGEST_ADDRESS
    ? `${address.slice(0, LONGEST_ADDRESS)}... (${address.length} characters)`
    : address;

/** Logs a completed request with the id of its key, never the key. */
const logServed = (
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
  { keyId, requestId, tookMs }: EndedExchange,
): void => {
  if (!log.isLevelEnabled('info')) return;
  log.info({
    method: request.method,
    address: shortened(withoutKeys(request.url ?? '')),
    status: response.statusCode,
    complete: response.writableFinished,
    key: keyId,
    requestId,
    ms: Math.round(tookMs * 10) / 10,
  });
};

const LOOPBACK = '127.0.0.1';
/** Counting is retried instead, so that other requests run in between. */
const WAIT_FOR_KEYS_MS = 0;

const failuresOnly = (report: ServiceOptions['report']): Logger =>
  report === undefined
    ? pino({ level: 'silent' })
    : pino({ level: 'error', base: null }, { write: (line) => report(line.trimEnd()) });

/** True when the request carries credentials. They are checked before the lake is read. */
const hasCredentials = ({ headers, method, url = '' }: IncomingMessage): boolean =>
  headers.authorization !== undefined ||
  headers.cookie !== undefined ||
  (method === 'POST' && /^\/(?:sign-in|hooks\/upstream)$/.test(url));

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The id that the sender gave a request, or a new one. */
const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
};

interface Served {
  readonly lake: ServedLake;
  /** Time of responses, Unix ms. */
  readonly now: () => number;
}

/** Routes and sockets of a service over an open lake. */
export class AssembledService {
  readonly #options: ServiceOptions;
  readonly #opened: Opened;
  readonly #log: Logger;
  readonly #context: ServiceContext;
  readonly #exposure: Exposure;
  readonly #app: ReturnType<typeof serviceApp>;
  readonly #routeOf: ReturnType<typeof routesOf>;
  readonly #pace: KeylessPace;
  /** Separate, so that monitors and pages do not delay each other. */
  readonly #healthPace: KeylessPace;
  readonly #server: HttpServer;
  #origin: string;

  /** @param opened receives opened resources. The caller closes them if the constructor fails. */
  constructor(options: ServiceOptions, { lake, now }: Served, opened: Opened) {
    const { clock, machine } = options;
    this.#options = options;
    this.#opened = opened;
    this.#log = options.log ?? failuresOnly(options.report);
    this.#context = this.#contextOf(options, { lake, now });
    this.#exposure = new Exposure({ ...options, host: options.host ?? LOOPBACK });
    this.#origin = this.#exposure.publicOrigin ?? '';
    this.#app = this.#appOf(options);
    this.#routeOf = routesOf(this.#app);
    this.#pace = new KeylessPace(machine);
    this.#healthPace = new KeylessPace(machine);
    this.#server = new HttpServer(
      {
        respond: (request, bindings) => this.#respond(request, bindings),
        failed: (error) => refusalOf(error, this.#log),
        ended: (request, response, exchange) => this.#note(request, response, exchange),
      },
      { clock, machine },
    );
  }

  #contextOf(
    { dataDir, clock, machine, ...options }: ServiceOptions,
    { lake: { reader: lake, writer, cache, reads }, now }: Served,
  ): ServiceContext {
    const opened = this.#opened;
    return {
      lake,
      writer,
      hookSecret: options.hookSecret,
      mostOfAKey: options.subscriptionsPerKey ?? MOST_OF_A_KEY,
      listItems: options.listItems ?? 200,
      clock,
      model: options.model,
      pipeline: options.pipeline,
      keys: options.keys ?? opened.add(new LakeKeys(dataDir, WAIT_FOR_KEYS_MS)),
      now,
      reads,
      live: new LiveUpdates(lake, { machine, boot: machine.now().toString(36) }),
      queries: opened.add(new SqlQueries({ dataDir, clock: machine, limits: options.sqlLimits })),
      responses: new ResponseCache(cache),
      pages: new PageCache(cache, machine),
      idempotent: new IdempotentResponses(() => clock.now()),
      poster: opened.add(new HttpPoster({ clock, proxy: options.webhookProxy })),
    };
  }

  #appOf({ clock, machine, corsOrigins = [], metrics }: ServiceOptions) {
    const routeOf = (method: string, path: string) => this.#routeOf(method, path);
    const admission = new KeyCheck({ keys: this.#context.keys, routeOf, clock, machine });
    const { publicOrigin } = this.#exposure;
    return serviceApp(this.#context, {
      access: { admission, sessions: new Sessions(), exposure: this.#exposure },
      origin: () => this.#origin,
      corsOrigins: [...corsOrigins, ...(publicOrigin === undefined ? [] : [publicOrigin])],
      log: this.#log,
      metrics,
    });
  }

  async #respond(
    request: Request,
    bindings: Parameters<Responding['respond']>[1],
  ): Promise<Response> {
    const { incoming, outgoing, exchange } = bindings;
    exchange.requestId = requestIdOf(incoming);
    outgoing.setHeader('x-request-id', exchange.requestId);
    const pace = incoming.url === '/health' ? this.#healthPace : this.#pace;
    let turn: Promise<void> | undefined;
    const keylessTurn = (): Promise<void> => (turn ??= pace.turn());
    exchange.keylessTurn = keylessTurn;
    if (!hasCredentials(incoming)) await keylessTurn();
    if (incoming.socket.destroyed) return problemResponse(clientGone());
    const refusal = this.#exposure.refusalOf(incoming);
    const response =
      refusal === undefined ? await this.#app.fetch(request, bindings) : problemResponse(refusal);
    if (exchange.keyId === undefined && exchange.isProven !== true) await keylessTurn();
    return response;
  }

  #note(request: IncomingMessage, response: ServerResponse, exchange: EndedExchange): void {
    logServed(this.#log, request, response, exchange);
    const { tookMs } = exchange;
    const { method = '', url = '' } = request;
    // 499: the client left before its response
    const status = response.writableFinished ? response.statusCode : 499;
    this.#options.metrics?.count({ method, route: this.#routeOf(method, url), status, tookMs });
  }

  async listen(): Promise<RunningService> {
    const { host = LOOPBACK, port = 0 } = this.#options;
    const bound = `http://${urlHost(host)}:${await this.#server.listen(host, port)}`;
    this.#origin = this.#exposure.publicOrigin ?? bound;
    return {
      url: `${bound}/v1`,
      dashboard: `${bound}/`,
      openness: this.#exposure.sentence(),
      close: () => this.#close(),
    };
  }

  async #close(): Promise<void> {
    this.#context.live.close();
    await this.#server.close();
    await this.#opened.close();
  }
}
