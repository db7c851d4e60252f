import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Clock } from '../../base/clock.ts';
import type { KeyStore } from '../../lake/keys/key-store.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { ListMoment } from '../../lake/lists/list-page.ts';
import type { Lake } from '../../lake/open.ts';
import type { ModelSettings } from '../../learn/why/model.ts';
import type { PipelineReader } from '../../run/pipeline/pipeline-reader.ts';
import type { ChangeTimes } from '../cache/change-times.ts';
import type { HeavyReads } from '../cache/heavy-reads.ts';
import type { PageCache } from '../cache/page-cache.ts';
import { KEYLESS } from '../cache/reader-thread.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { sendResponse } from '../http/send-response.ts';
import { bytesOf, type ResponseContent, write } from '../http/written-response.ts';
import type { LiveUpdates } from '../live/live-updates.ts';
import type { IdempotentResponses } from './idempotency.ts';
import { listLinks } from './list-links.ts';
import type { SqlQueries } from './sql-queries.ts';

/** One request on its way through the service, for the log. */
export interface Exchange {
  /** Of the key it was counted by. */
  keyId?: string;
  /** The sender waits to be told that its body is wanted (`Expect: 100-continue`). */
  awaitsContinue?: boolean;
  /** The sender expects something else, which nobody here does. */
  readonly expectsOther?: boolean;
  /**
   * Waits for the turn of a request that is answered without a key: once, however often it is called.
   * Rejects with a RefusedError where too many wait.
   */
  keylessTurn?: () => Promise<void>;
  /** Its response has headers for this request only, so it is not kept. */
  isUnkept?: boolean;
  /** Names the request in logs and responses. */
  requestId?: string;
  /** It was proven otherwise than by a key: by the signature of its body. */
  isProven?: boolean;
}

/** What a request carries along once it was let in. */
export interface RequestVariables {
  readonly standing: KeyStanding;
}
export interface ServiceEnv {
  Variables: RequestVariables;
  Bindings: HttpBindings & { readonly exchange: Exchange };
}
export type ServiceApp = OpenAPIHono<ServiceEnv>;

/** What the routes respond from. */
export interface ServiceContext {
  readonly lake: Lake;
  /** Lists and searches, which may take long. */
  readonly reads: HeavyReads;
  readonly responses: ResponseCache;
  readonly pages: PageCache;
  readonly changes: ChangeTimes;
  readonly idempotent: IdempotentResponses;
  /** Tells open pages when the lake changes. */
  readonly live: LiveUpdates;
  /** Queries in SQL that people write. */
  readonly queries: SqlQueries;
  /** What pulls into the lake; undefined where nothing does, as in a sandbox. */
  readonly pipeline: PipelineReader | undefined;
  /** Keys and what they spent. */
  readonly keys: KeyStore;
  /** The time that responses are given at; fixed where the service was started with `at`. */
  readonly now: () => number;
  /** The time that limits are counted in; never fixed. */
  readonly clock: Clock;
  /** Puts analyses into words; statistical without one. */
  readonly model: ModelSettings | undefined;
}

/** The instant a response is for: as asked, but never after the service's own now. */
export const instantOf = (service: ServiceContext, asOf: number | undefined): number => {
  const now = service.now();
  return asOf === undefined ? now : Math.min(asOf, now);
};

/** The instant a request is for, who asks, and how to learn that its sender waits no longer. */
export const momentOf = (
  service: ServiceContext,
  c: Context<ServiceEnv>,
  requestedAsOf: number | undefined,
): Pick<ListMoment, 'asOf' | 'isNow' | 'owner'> & { gone: () => AbortSignal } => ({
  asOf: instantOf(service, requestedAsOf),
  isNow: requestedAsOf === undefined,
  owner: c.get('standing')?.id ?? KEYLESS,
  gone: () => c.req.raw.signal, // making one takes a moment: only when there is something to wait for
});

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

/** Sends a response, and remembers it where it may be given again. */
export const respond = (
  { lake, now: clock, responses, changes }: ServiceContext,
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
          ? changes.holdsUntil(at, response.windowsMs ?? [])
          : Number.POSITIVE_INFINITY,
      isOfItsInstant: requestedAsOf === undefined && response.asOf === at,
    });
  return sendResponse(c, { written, now, bytes: (gzip) => bytesOf(written, gzip) });
};
