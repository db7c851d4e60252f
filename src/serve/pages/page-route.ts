import type { IncomingMessage } from 'node:http';
import type { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { DAY_MS, MINUTE_MS } from '../../base/durations.ts';
import { parseIso } from '../../base/iso.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { ListMoment } from '../../lake/lists/list-page.ts';
import { type MadePage, PageBytes } from '../cache/page-cache.ts';
import type { Requester } from '../cache/reader-thread.ts';
import { RefusedError } from '../http/problems.ts';
import { acceptsGzip } from '../http/written-response.ts';
import {
  momentOf,
  type ServiceApp,
  type ServiceContext,
  type ServiceEnv,
} from '../request/context.ts';
import { type FramedPage, framed } from './frame.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { givenOf, PageParameters } from './page-parameters.ts';
import type { PageReader, PageView } from './page-view.ts';
import { problemPage } from './problem-page.ts';
import { FILE_TYPES, type FileFormat, type TableFiles } from './table-files.ts';

export interface PageContent extends FramedPage {
  /** Windows (ms) before the page's instant that its data comes from. */
  readonly windowsMs?: readonly number[];
}

export interface PageMoment extends Pick<ListMoment, 'asOf' | 'isNow' | 'owner'> {
  /** Signal that aborts once no client waits for the page. */
  readonly gone: () => AbortSignal;
  readonly isPage: true;
}

export const requesterOf = ({ owner, gone, isPage }: PageMoment): Requester => ({
  ...{ owner, isPage },
  unwanted: gone(),
});

export interface PageRequest<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly view: PageView;
  readonly moment: PageMoment;
}

type FilesOf<P extends z.ZodObject, Q extends z.ZodObject> = (
  wanted: PageRequest<z.infer<P>, z.infer<Q>>,
) => TableFiles;

/** One page. `path` is written as in OpenAPI; empty parameters count as absent. */
export interface PageDefinition<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly path: string;
  readonly params: P;
  readonly query: Q;
  /** @throws RefusedError for an unknown subject, shown as an error page */
  readonly make: (
    wanted: PageRequest<z.infer<P>, z.infer<Q>>,
  ) => PageContent | Promise<PageContent>;
  /** Redirect target of an old address; undefined: no redirect. */
  readonly leadsTo?: (given: Readonly<Record<string, string>>) => string | undefined;
  /** File for `format=csv` and `format=parquet`. */
  readonly files?: FilesOf<P, Q>;
  /** Files of the other tables, by the value of `table`. */
  readonly tables?: Readonly<Record<string, FilesOf<P, Q>>>;
}

export interface PageDeps {
  readonly app: ServiceApp;
  readonly service: ServiceContext;
  /** Access check of every page. */
  readonly guard: MiddlewareHandler<ServiceEnv>;
  /** Requires a key, except from this machine. */
  readonly keyGuard: MiddlewareHandler<ServiceEnv>;
  /** True for requests from this machine. */
  readonly isOperator: (incoming: IncomingMessage) => boolean;
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

const readerOf = ({ isOperator }: PageDeps, c: Context<ServiceEnv>): PageReader => {
  const standing: KeyStanding | undefined = c.get('standing');
  if (standing !== undefined) return { keyId: standing.id };
  return isOperator(c.env.incoming) ? 'operator' : 'public';
};

const viewOf = (
  deps: PageDeps,
  c: Context<ServiceEnv>,
  wanted: { instant: number | undefined; query: Record<string, string> },
): PageView => {
  const { service } = deps;
  const now = service.now();
  const at = wanted.instant === undefined ? now : Math.min(wanted.instant, now);
  return {
    path: new URL(c.req.url).pathname,
    query: wanted.query,
    at,
    isPast: wanted.instant !== undefined && wanted.instant < now,
    now,
    reader: readerOf(deps, c),
    version: service.live.version,
    newestSnapshot: service.changes.newestSnapshot(at),
  };
};

/** View without instant and parameters. */
export const presentView = (deps: PageDeps, c: Context<ServiceEnv>): PageView =>
  viewOf(deps, c, { instant: undefined, query: {} });

const WINDOWS_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 60 * DAY_MS];

const sendPage = (c: Context<ServiceEnv>, made: PageBytes, status: number): Response => {
  const gzip = acceptsGzip(c.req.header('accept-encoding'));
  const encoding = gzip ? { 'content-encoding': 'gzip' } : undefined;
  const type = { 'content-type': 'text/html; charset=UTF-8', vary: 'Accept-Encoding, Cookie' };
  return new Response(made.bytes(gzip), {
    status,
    headers: { ...PAGE_HEADERS, ...type, ...encoding },
  });
};

export const sendFixedPage = (c: Context<ServiceEnv>, made: PageBytes): Response =>
  sendPage(c, made, 200);

/** Error page with the status code of the API. */
const refusedPage = async (
  deps: PageDeps,
  c: Context<ServiceEnv>,
  refusal: RefusedError,
): Promise<Response> => {
  const instant = parseIso(c.req.query('asOf') ?? '');
  const view = viewOf(deps, c, {
    instant: instant === undefined ? undefined : minuteOf(instant),
    query: {},
  });
  const { status, headers } = refusal.reply();
  const html = String(await framed(view, problemPage(view, refusal)));
  const sent = sendPage(c, new PageBytes(html), status);
  const wait = headers['retry-after'];
  if (wait !== undefined) sent.headers.set('retry-after', wait);
  return sent;
};

interface ReadRequest<P, Q> extends PageRequest<P, Q> {
  /** Cache key. */
  readonly name: string;
  readonly format?: FileFormat | undefined;
  readonly table?: string | undefined;
}

class PageResponder<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly #deps: PageDeps;
  readonly #definition: PageDefinition<P, Q>;
  readonly #parameters: PageParameters<P, Q>;

  constructor(deps: PageDeps, definition: PageDefinition<P, Q>) {
    const { params, query, files, tables = {} } = definition;
    this.#deps = deps;
    this.#definition = definition;
    this.#parameters = new PageParameters({
      params,
      query,
      hasFiles: files !== undefined,
      tables: Object.keys(tables),
    });
  }

  /** @throws (rejects) RefusedError */
  async respond(c: Context<ServiceEnv>): Promise<Response> {
    const given = givenOf(c);
    const elsewhere = this.#definition.leadsTo?.(given);
    if (elsewhere !== undefined) return c.redirect(elsewhere, 308);
    const wanted = this.#read(c, given);
    const { files, tables = {} } = this.#definition;
    const { format, table } = wanted;
    const filesOf = table === undefined ? files : tables[table];
    if (format !== undefined && filesOf !== undefined)
      return this.#file(filesOf(wanted), format, wanted.moment);
    return sendPage(c, await this.#page(wanted), 200);
  }

  /** @throws RefusedError for unknown or invalid parameters */
  #read(
    c: Context<ServiceEnv>,
    given: Readonly<Record<string, string>>,
  ): ReadRequest<z.infer<P>, z.infer<Q>> {
    const { asOf: wantedAsOf, ...read } = this.#parameters.read(c.req.param(), given);
    const instant = wantedAsOf === undefined ? undefined : minuteOf(wantedAsOf);
    const { asOf: _, format: __, table: ___, ...kept } = given;
    const view = viewOf(this.#deps, c, { instant, query: kept });
    const moment = { ...momentOf(this.#deps.service, c, instant), isPage: true } as const;
    const name = JSON.stringify([view.path, kept, instant ?? null, view.reader]);
    return { ...read, view, moment, name };
  }

  async #file(
    { name, bytes }: TableFiles,
    format: FileFormat,
    { owner, gone }: PageMoment,
  ): Promise<Response> {
    const { pages } = this.#deps.service;
    const made = await pages.inTurn(() => bytes(format), { owner, gone: gone() });
    return new Response(made, {
      headers: {
        'content-type': FILE_TYPES[format],
        'content-disposition': `attachment; filename="${name}.${format}"`,
        'cache-control': 'no-store',
      },
    });
  }

  /** The page, from the cache if still valid. */
  #page(wanted: ReadRequest<z.infer<P>, z.infer<Q>>): Promise<PageBytes> {
    const { service } = this.#deps;
    const now = { version: lakeVersion(service.lake), at: service.now() };
    const make = (unwanted: AbortSignal): Promise<MadePage> => this.#make(wanted, unwanted);
    const { owner, gone } = wanted.moment;
    return service.pages.page(wanted.name, now, make, { owner, gone: gone() });
  }

  async #make(
    wanted: ReadRequest<z.infer<P>, z.infer<Q>>,
    unwanted: AbortSignal,
  ): Promise<MadePage> {
    const { lake, changes } = this.#deps.service;
    const { view, moment } = wanted;
    const version = lakeVersion(lake);
    const content = await this.#definition.make({
      ...wanted,
      moment: { ...moment, gone: () => unwanted },
    });
    const html = String(await framed(view, content));
    const holdsUntil = (): number => changes.holdsUntil(view.at, content.windowsMs ?? WINDOWS_MS);
    return {
      page: new PageBytes(html),
      version: lakeVersion(lake) === version ? version : null,
      from: view.at,
      until: view.isPast
        ? Number.POSITIVE_INFINITY
        : Math.min(minuteOf(view.at) + MINUTE_MS, holdsUntil()),
    };
  }
}

/** Serves a page behind the guard: checks parameters, renders it as of `asOf` and caches it. */
export const pageRoute = <P extends z.ZodObject, Q extends z.ZodObject>(
  deps: PageDeps,
  definition: PageDefinition<P, Q>,
): void => {
  const responder = new PageResponder(deps, definition);
  deps.app.get(definition.path.replace(/\{(\w+)\}/g, ':$1'), deps.guard, async (c) => {
    try {
      return await responder.respond(c);
    } catch (error) {
      if (error instanceof RefusedError) return refusedPage(deps, c, error);
      throw error;
    }
  });
};
