import { type Logger, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { ModelSettings } from '../lab/model.ts';
import { openLake, openLakeForReading } from '../lake/open.ts';
import type { Metrics } from '../metrics/metrics.ts';
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
import { HttpServer } from './http-server.ts';
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
  const writer = openLake(dataDir, { tell: options.report ?? ((sentence) => log.warn(sentence)) }); // makes or migrates it; subscriptions are written through it
  refreshSearch(writer); // words that came by other hands than a load
  writer.sqlite.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  const lake = openLakeForReading(dataDir);
  lake.sqlite.pragma('temp_store = FILE'); // what is sorted must not take memory
  lake.sqlite.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  const keys = options.keys ?? new LakeKeys(dataDir, WAIT_FOR_KEYS_MS);
  writer.sqlite.pragma(`busy_timeout = ${WAIT_FOR_LAKE_MS}`);
  const now = typeof at === 'function' ? at : () => at ?? clock.now();
  const counting = new CountTogether(keys, { clock, machine });
  const admission = new KeyCheck(counting, (method, path) => routeOf(method, path));
  const cache = new LakeCache(CACHE_BYTES);
  const reads = new HeavyReads(lake, { cache, clock: machine, limits: options.readLimits });
  const live = new LiveUpdates(lake, { machine, boot: machine.now().toString(36) });
  const queries = new SqlQueries({ dataDir, clock: machine, limits: options.sqlLimits });
  const poster = new HttpPoster({ clock });
  const context: ServiceContext = {
    ...{ lake, reads, keys, now, clock, model: options.model },
    ...{ queries, live, pipeline: options.pipeline },
    responses: new ResponseCache(cache),
    pages: new PageCache(cache),
    changes: new ChangeTimes(lake, cache),
  };
  const webhooks = {
    writer,
    poster,
    hookSecret: options.hookSecret,
    mostOfAKey: options.subscriptionsPerKey ?? MOST_OF_A_KEY,
  };
  const exposure = new Exposure({ ...options, host });
  const publicOrigin = exposure.publicOrigin;
  let origin = publicOrigin ?? '';
  const app = serviceApp(context, webhooks, {
    access: { admission, sessions: new Sessions(), exposure },
    origin: () => origin,
    corsOrigins: [...corsOrigins, ...(publicOrigin === undefined ? [] : [publicOrigin])],
    ...{ log, metrics },
  });
  const routeOf = routesOf(app);
  const pace = new KeylessPace(machine);
  const server = new HttpServer(
    {
      respond: async (request, bindings) => {
        const { incoming, exchange } = bindings;
        const refusal = exposure.refusalOf(incoming);
        const response =
          refusal === undefined ? await app.fetch(request, bindings) : problemResponse(refusal);
        const isWatching = incoming.url === '/health' || response.status === 204; // 204: a proven hook
        if (exchange.keyId === undefined && !isWatching) await pace.turn();
        return response;
      },
      failed: (error) => refusalOf(error, log),
      ended: (request, response, { keyId, tookMs }) => {
        logServed(log, request, response, { keyId, tookMs });
        const { method = '', url = '' } = request;
        // as other servers count a client that left before its response: nothing was answered
        const status = response.writableFinished ? response.statusCode : 499;
        metrics?.count({ method, route: routeOf(method, url), status, tookMs });
      },
    },
    { clock, machine },
  );
  const release = async (): Promise<void> => {
    queries.close();
    await reads.close();
    await poster.close();
    await keys.close();
    lake.close();
    writer.close();
  };
  try {
    const bound = `http://${urlHost(host)}:${await server.listen(host, port)}`;
    origin = publicOrigin ?? bound;
    if (options.computesAhead === true) void reads.computeAhead(now());
    return {
      url: `${bound}/v1`,
      dashboard: `${bound}/`,
      openness: exposure.sentence(),
      close: async () => {
        live.close();
        await server.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
};
