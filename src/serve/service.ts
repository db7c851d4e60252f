import { type Logger, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { ModelSettings } from '../lab/model.ts';
import { type Lake, openLake, openLakeForReading } from '../lake/open.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Opened } from '../opened.ts';
import type { PipelineReader } from '../pipeline/pipeline-reader.ts';
import { refreshSearch } from '../search/search-index.ts';
import type { HookSecret } from '../webhooks/hook-proof.ts';
import { HttpPoster } from '../webhooks/post.ts';
import { MOST_OF_A_KEY } from '../webhooks/subscriptions.ts';
import { logServed } from './access-log.ts';
import { refusalOf, serviceApp } from './app.ts';
import { CountTogether } from './auth/count-together.ts';
import { KeyCheck } from './auth/key-check.ts';
import { type KeyStore, LakeKeys } from './auth/key-store.ts';
import { Sessions } from './auth/sessions.ts';
import { ChangeTimes } from './cache/change-times.ts';
import { HeavyReads, type ReadLimits } from './cache/heavy-reads.ts';
import { LakeCache } from './cache/lake-cache.ts';
import { PageCache } from './cache/page-cache.ts';
import { ResponseCache } from './cache/response-cache.ts';
import type { ServiceContext } from './context.ts';
import { Exposure, urlHost } from './exposure.ts';
import { HttpServer, type Responding } from './http-server.ts';
import { KeylessPace } from './keyless-pace.ts';
import { LiveUpdates } from './live/live-updates.ts';
import { problemResponse } from './problems.ts';
import { routesOf } from './route-of.ts';
import { type SqlLimits, SqlQueries } from './sql-queries.ts';

export interface ServiceOptions {
  readonly dataDir: string;
  /** Keys and what they spent, closed with it; those of the data directory unless given. */
  readonly keys?: KeyStore;
  /** Time of limits and, unless `at` is given, of responses. */
  readonly clock: Clock;
  /** Time of the machine, whatever time is shown: how long to wait, and what takes too long. */
  readonly machine: Clock;
  /** Default 127.0.0.1: reachable from this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Where people reach it from outside, such as `https://trends.example`. */
  readonly publicUrl?: string | undefined;
  /** Opens the pages and `/metrics` to whoever reaches them. */
  readonly publicDashboard?: boolean | undefined;
  /**
   * Unix ms at which the responses' clock stands still, or what tells their time; limits go on in
   * `clock`'s time.
   */
  readonly at?: number | (() => number);
  /** False: hardly anybody is going to search, so that words that wait for the index go on waiting. */
  readonly isSearched?: boolean;
  /** Shared with the upstream; without it `POST /hooks/upstream` is off. */
  readonly hookSecret?: HookSecret | undefined;
  /** Webhook subscriptions that one key may have; as many as usual unless given. */
  readonly subscriptionsPerKey?: number;
  /** Receives a line for each request and each failure; silent unless given. */
  readonly log?: Logger;
  /** Without a log: receives a line for each thing that failed unexpectedly. */
  readonly report?: (sentence: string) => void;
  /** Puts analyses into words; statistical without one. */
  readonly model?: ModelSettings | undefined;
  /** What `/metrics` tells; without it there is no such address. */
  readonly metrics?: Metrics | undefined;
  /** Origins whose pages may read responses in a browser; none by default. */
  readonly corsOrigins?: readonly string[];
  /** Computes the lists that most ask for as soon as it listens, where they take long. */
  readonly computesAhead?: boolean;
  /** What one request may cost the others, where it is not as usual. */
  readonly readLimits?: Partial<ReadLimits>;
  /** The same of queries in SQL. */
  readonly sqlLimits?: Partial<SqlLimits>;
  /** What pulls into the lake, for the page about it; without, there is no such page. */
  readonly pipeline?: PipelineReader | undefined;
}

/** A service that is listening. `url` ends in `/v1`. */
export interface RunningService {
  readonly url: string;
  readonly dashboard: string;
  /** What is open to whom, in a sentence. */
  readonly openness: string;
  /** Takes no new requests, lets those under way end (5 s at most), then lets go of the lake. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const PAGE_CACHE_KIB = 16 * 1024;
/** Responses, lists, counts and instants that are remembered. */
const CACHE_BYTES = 20_000_000;
const WRITER_CACHE_KIB = 2 * 1024; // subscriptions only
/** Waiting for another writer holds up every request; long, and those that came meanwhile would seem late. */
const WAIT_FOR_LAKE_MS = 2000;
/** Counting is tried again, so that others are answered in between. */
const WAIT_FOR_KEYS_MS = 50;

const failuresOnly = (report: ServiceOptions['report']): Logger =>
  report === undefined
    ? pino({ level: 'silent' })
    : pino({ level: 'error', base: null }, { write: (line) => report(line.trimEnd()) });

interface LakeWish {
  readonly tell: (sentence: string) => void;
  readonly isSearched: boolean;
}

/** The connection that subscriptions are written through. Makes or migrates the lake where it has to be. */
const openWriter = (dataDir: string, { tell, isSearched }: LakeWish, opened: Opened): Lake => {
  const lake = opened.add(openLake(dataDir, { tell }));
  if (isSearched) refreshSearch(lake); // words that came by other hands than a load
  lake.sqlite.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  lake.sqlite.pragma(`busy_timeout = ${WAIT_FOR_LAKE_MS}`);
  return lake;
};

/** The connection that everything else is read through. */
const openReader = (dataDir: string, opened: Opened): Lake => {
  const lake = opened.add(openLakeForReading(dataDir));
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  return lake;
};

/** What a service is made of: all that is opened for it, its routes and its sockets. */
class Service {
  readonly #options: ServiceOptions;
  readonly #opened: Opened;
  readonly #log: Logger;
  readonly #writer: Lake;
  readonly #context: ServiceContext;
  readonly #exposure: Exposure;
  readonly #app: ReturnType<typeof serviceApp>;
  readonly #routeOf: ReturnType<typeof routesOf>;
  readonly #pace: KeylessPace;
  readonly #server: HttpServer;
  #origin: string;

  /** @param opened what it opens, to be closed by whoever makes it where that fails */
  constructor(options: ServiceOptions, opened: Opened) {
    const { dataDir, clock, machine } = options;
    this.#options = options;
    this.#opened = opened;
    if (options.keys !== undefined) opened.add(options.keys);
    this.#log = options.log ?? failuresOnly(options.report);
    const tell = options.report ?? ((sentence) => this.#log.warn(sentence));
    this.#writer = openWriter(dataDir, { tell, isSearched: options.isSearched ?? true }, opened);
    this.#context = this.#contextOf(options);
    this.#exposure = new Exposure({ ...options, host: options.host ?? LOOPBACK });
    this.#origin = this.#exposure.publicOrigin ?? '';
    this.#app = this.#appOf(options);
    this.#routeOf = routesOf(this.#app);
    this.#pace = new KeylessPace(machine);
    this.#server = new HttpServer(
      {
        respond: (request, bindings) => this.#respond(request, bindings),
        failed: (error) => refusalOf(error, this.#log),
        ended: (request, response, exchange) => this.#note(request, response, exchange),
      },
      { clock, machine },
    );
  }

  #contextOf({ dataDir, clock, machine, at, ...options }: ServiceOptions): ServiceContext {
    const opened = this.#opened;
    const lake = openReader(dataDir, opened);
    const cache = new LakeCache(CACHE_BYTES);
    return {
      ...{ lake, clock, model: options.model, pipeline: options.pipeline },
      keys: options.keys ?? opened.add(new LakeKeys(dataDir, WAIT_FOR_KEYS_MS)),
      now: typeof at === 'function' ? at : () => at ?? clock.now(),
      reads: opened.add(
        new HeavyReads(lake, { cache, clock: machine, limits: options.readLimits }),
      ),
      live: new LiveUpdates(lake, { machine, boot: machine.now().toString(36) }),
      queries: opened.add(new SqlQueries({ dataDir, clock: machine, limits: options.sqlLimits })),
      responses: new ResponseCache(cache),
      pages: new PageCache(cache),
      changes: new ChangeTimes(lake, cache),
    };
  }

  #appOf({ clock, machine, corsOrigins = [], metrics, ...options }: ServiceOptions) {
    const counting = new CountTogether(this.#context.keys, { clock, machine });
    const admission = new KeyCheck(counting, (method, path) => this.#routeOf(method, path));
    const { publicOrigin } = this.#exposure;
    const poster = this.#opened.add(new HttpPoster({ clock }));
    const webhooks = {
      ...{ writer: this.#writer, poster, hookSecret: options.hookSecret },
      mostOfAKey: options.subscriptionsPerKey ?? MOST_OF_A_KEY,
    };
    return serviceApp(this.#context, webhooks, {
      access: { admission, sessions: new Sessions(), exposure: this.#exposure },
      origin: () => this.#origin,
      corsOrigins: [...corsOrigins, ...(publicOrigin === undefined ? [] : [publicOrigin])],
      ...{ log: this.#log, metrics },
    });
  }

  async #respond(
    request: Request,
    bindings: Parameters<Responding['respond']>[1],
  ): Promise<Response> {
    const { incoming, exchange } = bindings;
    const refusal = this.#exposure.refusalOf(incoming);
    const response =
      refusal === undefined ? await this.#app.fetch(request, bindings) : problemResponse(refusal);
    const isWatching = incoming.url === '/health' || response.status === 204; // 204: a proven hook
    if (exchange.keyId === undefined && !isWatching) await this.#pace.turn();
    return response;
  }

  #note(...[request, response, { keyId, tookMs }]: Parameters<Responding['ended']>): void {
    logServed(this.#log, request, response, { keyId, tookMs });
    const { method = '', url = '' } = request;
    // as other servers count a client that left before its response: nothing was answered
    const status = response.writableFinished ? response.statusCode : 499;
    this.#options.metrics?.count({ method, route: this.#routeOf(method, url), status, tookMs });
  }

  async listen(): Promise<RunningService> {
    const { host = LOOPBACK, port = 0, computesAhead } = this.#options;
    const { reads, now } = this.#context;
    const bound = `http://${urlHost(host)}:${await this.#server.listen(host, port)}`;
    this.#origin = this.#exposure.publicOrigin ?? bound;
    if (computesAhead === true) void reads.computeAhead(now());
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

/**
 * Serves a lake (an empty one is made where there is none) until closed.
 * @throws UsageError when the address is taken or the data directory cannot be used
 */
export const startService = async (options: ServiceOptions): Promise<RunningService> => {
  const opened = new Opened();
  try {
    return await new Service(options, opened).listen();
  } catch (error) {
    await opened.close();
    throw error;
  }
};
