import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { HookSecret } from '../../alerts/webhooks/hook-proof.ts';
import type { Poster } from '../../alerts/webhooks/post.ts';
import type { Clock } from '../../base/clock.ts';
import type { KeyStore } from '../../lake/keys/key-store.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { ComputedLists, ListMoment, Paging } from '../../lake/lists/list-page.ts';
import type { Lake } from '../../lake/open.ts';
import { holdsUntil } from '../../lake/read/validity.ts';
import type { ModelSettings } from '../../learn/why/model.ts';
import type { PipelineReader } from '../../run/pipeline/pipeline-reader.ts';
import type { HeavyReads } from '../cache/heavy-reads.ts';
import type { PageCache } from '../cache/page-cache.ts';
import { KEYLESS, type Requester } from '../cache/reader-threads.ts';
import type { FoundOf, QueryOf } from '../cache/readings.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { bytesOf, type ResponseContent, sendResponse, write } from '../http/written-response.ts';
import type { LiveUpdates } from '../live/live-updates.ts';
import type { IdempotentResponses } from './idempotency.ts';
import type { SqlQueries } from './sql-queries.ts';

/** Header `Link` of a page of a list: first, prev, next and last. Undefined if it is not a list. */
const listLinks = (
  address: string,
  { body }: Pick<ResponseContent, 'body'>,
): string | undefined => {
  const { total, page, items } = body;
  if (typeof total !== 'number' || typeof page !== 'number' || items === undefined)
    return undefined;
  const [path = '', query = ''] = address.split('?', 2);
  const parameters = new URLSearchParams(query);
  const limit = Number(parameters.get('limit') ?? 50);
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (to: number, rel: string): string => {
    parameters.set('page', String(to));
    return `<${path}?${parameters}>; rel="${rel}"`;
  };
  return [
    link(1, 'first'),
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next')] : []),
    link(last, 'last'),
  ].join(', ');
};

/** State of one request. */
export interface Exchange {
  /** Id of the key that it counts against. */
  keyId?: string;
  /** The client waits for `100 Continue` before it sends the body. */
  awaitsContinue?: boolean;
  /** The Expect header has an unsupported value. */
  readonly expectsOther?: boolean;
  /** Waits once for the turn of a request without a key. @throws RefusedError if too many wait */
  keylessTurn?: () => Promise<void>;
  /** Its response has headers for this request only, so it is not kept. */
  isUnkept?: boolean;
  /** Names the request in logs and responses. */
  requestId?: string;
  /** Authenticated by the signature of its body instead of a key. */
  isProven?: boolean;
}

export interface RequestVariables {
  readonly standing: KeyStanding;
}
export interface ServiceEnv {
  Variables: RequestVariables;
  Bindings: HttpBindings & { readonly exchange: Exchange };
}
export type ServiceApp = OpenAPIHono<ServiceEnv>;

export interface ServiceContext {
  readonly lake: Lake;
  /** Connection for watches and subscriptions. */
  readonly writer: Lake;
  /** Sends webhooks. */
  readonly poster: Poster;
  /** Undefined: `/hooks/upstream` is off. */
  readonly hookSecret: HookSecret | undefined;
  /** Subscriptions allowed per key. */
  readonly mostOfAKey: number;
  /** Depth of a search in results, for the price of a watch. */
  readonly listItems: number;
  /** Slow reads, in threads. */
  readonly reads: HeavyReads;
  readonly responses: ResponseCache;
  readonly pages: PageCache;
  readonly idempotent: IdempotentResponses;
  readonly live: LiveUpdates;
  readonly queries: SqlQueries;
  /** Undefined in a sandbox. */
  readonly pipeline: PipelineReader | undefined;
  readonly keys: KeyStore;
  /** Time of responses; fixed if the service was started with `at`. */
  readonly now: () => number;
  /** Time of limits; never fixed. */
  readonly clock: Clock;
  /** Language model that words analyses. */
  readonly model: ModelSettings | undefined;
}

/** The parts that reads of routes share with the tools of assistants. */
export interface ReadContext extends Pick<ServiceContext, 'lake' | 'clock' | 'listItems'> {
  readonly reads: Pick<HeavyReads, 'search'> & {
    readonly lists: ComputedLists;
    read(name: 'events', query: QueryOf<'events'>, by: Requester): Promise<FoundOf<'events'>>;
  };
}

/** The requested instant, limited to now. */
const instantOf = (now: number, asOf: number | undefined): number =>
  asOf === undefined ? now : Math.min(asOf, now);

/** The requested instant by the clock of limits, for watches and subscriptions. */
export const limitInstant = (
  { clock }: Pick<ServiceContext, 'clock'>,
  asOf: number | undefined,
): number => instantOf(clock.now(), asOf);

/** Instant and owner of a request, and its abort signal. */
export interface RequestMoment extends Pick<ListMoment, 'asOf' | 'owner'> {
  readonly gone: () => AbortSignal;
}

export const momentOf = (
  service: Pick<ServiceContext, 'now'>,
  c: Context<ServiceEnv>,
  requestedAsOf: number | undefined,
): RequestMoment => ({
  asOf: instantOf(service.now(), requestedAsOf),
  owner: c.get('standing')?.id ?? KEYLESS,
  gone: () => c.req.raw.signal, // lazy: creating one costs time
});

/** A page of watches or subscriptions that existed at the instant (Unix ms). */
export const pageContent = <T extends { readonly createdAt: number }>(
  all: readonly T[],
  show: (item: T) => object,
  at: number,
  { limit, page }: Paging,
): ResponseContent => {
  const existing = all.filter(({ createdAt }) => createdAt <= at);
  const items = existing.slice((page - 1) * limit, page * limit).map(show);
  return { body: { total: existing.length, page, items }, asOf: at, observedAt: null };
};

/** Does the work of a POST once for each `Idempotency-Key` of its sender. */
export const respondOnce = (
  { idempotent }: ServiceContext,
  c: Context<ServiceEnv>,
  body: unknown,
  work: () => Response | Promise<Response>,
): Promise<Response> => {
  const key = c.req.header('idempotency-key');
  return idempotent.once({ key, sender: c.get('standing').id, path: c.req.path }, body, work);
};

/** Sends a response, and caches it if it covers windows only. */
export const respond = (
  { lake, now: clock, responses }: Pick<ServiceContext, 'lake' | 'now' | 'responses'>,
  c: Context<ServiceEnv>,
  response: ResponseContent,
  requestedAsOf: number | undefined,
): Response => {
  const now = clock();
  const address = c.env.incoming.url ?? '';
  const link = listLinks(address, response);
  const written = { ...write(response), ...(link === undefined ? {} : { link }) };
  const { at, version } = response.readFor ?? { at: now, version: lakeVersion(lake) };
  const isKept = response.windowsMs !== undefined && c.env.exchange.isUnkept !== true;
  if (isKept && (requestedAsOf === undefined || requestedAsOf <= at))
    responses.keep(address, {
      written,
      version,
      from: requestedAsOf ?? at,
      until:
        requestedAsOf === undefined
          ? holdsUntil(lake, at, response.windowsMs ?? [])
          : Number.POSITIVE_INFINITY,
      isOfItsInstant: requestedAsOf === undefined && response.asOf === at,
    });
  return sendResponse(c, { written, now, bytes: (coding) => bytesOf(written, coding) });
};
