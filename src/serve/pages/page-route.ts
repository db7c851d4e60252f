import type { IncomingMessage } from 'node:http';
import type { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import { MINUTE_MS, NIGHTLY_MS } from '../../base/durations.ts';
import { parseIso } from '../../base/iso.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import { originOf } from '../../lake/origin.ts';
import { timeMarks } from '../../lake/read/time-marks.ts';
import { holdsUntil, newestSnapshotAt } from '../../lake/read/validity.ts';
import { watchTagNames } from '../../lake/watches/tag-lens.ts';
import { PageBytes, type ValidPage } from '../cache/page-cache.ts';
import type { Requester } from '../cache/reader-threads.ts';
import { codingFor } from '../http/coding.ts';
import { PROBLEMS, RefusedError } from '../http/problems.ts';
import {
  momentOf,
  type RequestMoment,
  type ServiceApp,
  type ServiceContext,
  type ServiceEnv,
} from '../request/context.ts';
import { type FramedPage, framed } from './frame.ts';
import { PAGE_HEADERS } from './html.ts';
import {
  givenOf,
  type NoParameters,
  type ParametersOf,
  parameterReader,
} from './page-parameters.ts';
import { linkTo, type PageReader, type PageView } from './page-view.ts';
import { FILE_TYPES, type TableFiles } from './table-files.ts';

const problemPage = (view: PageView, refusal: RefusedError): FramedPage => ({
  title: PROBLEMS[refusal.slug].title,
  isTimed: refusal.slug === 'not-found', // it may exist at another time
  whenChanged: 'nothing',
  main: html`<section role="alert">
  ${
    refusal.errors === undefined
      ? html`<p>${refusal.message}</p>`
      : html`<ul class="plain">${refusal.errors.map(
          ({ parameter, detail }) =>
            html`<li><code dir="auto">${parameter}</code> <bdi>${detail}</bdi></li>`,
        )}</ul>`
  }
  <p class="soft">Use the navigation above, or <a href="${linkTo(view, '/search')}">search</a> for a title, a handle or a hashtag.</p></section>`,
});

export interface PageMoment extends RequestMoment {
  readonly isPage: true;
}

export const requesterOf = ({ owner, gone, isPage }: PageMoment): Requester => ({
  owner,
  isPage,
  unwanted: gone(),
});

export interface PageRequest<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly view: PageView;
  readonly moment: PageMoment;
}

type RequestOf<P extends z.ZodRawShape, Q extends z.ZodRawShape> = PageRequest<
  ParametersOf<P>,
  ParametersOf<Q>
>;
type FilesOf<P extends z.ZodRawShape, Q extends z.ZodRawShape> = (
  wanted: RequestOf<P, Q>,
) => TableFiles;

/** One page. `path` is written as in OpenAPI; empty parameters count as absent. */
export interface PageDefinition<P extends z.ZodRawShape, Q extends z.ZodRawShape> {
  readonly path: string;
  readonly params?: P | undefined;
  readonly query?: Q | undefined;
  /** @throws RefusedError for an unknown subject, shown as an error page */
  readonly make: (wanted: RequestOf<P, Q>) => FramedPage | Promise<FramedPage>;
  /** Address shown instead, such as that of an old link; undefined: no redirect. */
  readonly leadsTo?: (given: Readonly<Record<string, string>>) => string | undefined;
  /** File for `format=csv` and `format=parquet`. */
  readonly files?: FilesOf<P, Q>;
  /** Files of the other tables, by the value of `table`. */
  readonly tables?: Readonly<Record<string, FilesOf<P, Q>>> | undefined;
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

/** True if the reader may change watches: a key with the scope, or this machine. */
export const mayWatch = ({ isOperator }: PageDeps, c: Context<ServiceEnv>): boolean => {
  const standing: KeyStanding | undefined = c.get('standing');
  return standing === undefined ? isOperator(c.env.incoming) : standing.scopes.includes('watch');
};

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
  const reader = readerOf(deps, c);
  return {
    path: new URL(c.req.url).pathname,
    query: wanted.query,
    at,
    isPast: wanted.instant !== undefined && wanted.instant < now,
    now,
    reader,
    mayWatch: mayWatch(deps, c),
    tags: reader === 'public' ? [] : watchTagNames(service.lake),
    version: service.live.version,
    marks: () => timeMarks(service.lake, at, now),
    newestSnapshot: newestSnapshotAt(service.lake, at),
    isFresh: (job, dataAt) =>
      dataAt >= (service.pipeline?.staleAt(job, at, originOf(service.lake)) ?? at - NIGHTLY_MS),
  };
};

export const sendPage = (c: Context<ServiceEnv>, page: PageBytes, status = 200): Response => {
  const coding = codingFor(c.req.header('accept-encoding'));
  const encoding = coding === null ? undefined : { 'content-encoding': coding };
  const type = { 'content-type': 'text/html; charset=UTF-8', vary: 'Accept-Encoding, Cookie' };
  return new Response(page.bytes(coding), {
    status,
    headers: { ...PAGE_HEADERS, ...type, ...encoding },
  });
};

/** Sends a page that always shows the present and is drawn for each request. */
export const sendPresentPage = async (
  deps: PageDeps,
  c: Context<ServiceEnv>,
  draw: (view: PageView) => FramedPage,
): Promise<Response> => {
  const tag = c.req.query('tag');
  const view = viewOf(deps, c, { instant: undefined, query: tag === undefined ? {} : { tag } });
  return sendPage(c, new PageBytes(String(await framed(view, draw(view)))));
};

/** Error page with the status code of the API. */
export const refusedPage = async (
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

/** Serves a page behind the guard: checks parameters, renders it as of `asOf` and caches it. */
export const pageRoute = <
  P extends z.ZodRawShape = NoParameters,
  Q extends z.ZodRawShape = NoParameters,
>(
  deps: PageDeps,
  { path, make, leadsTo, files, tables = {}, ...definition }: PageDefinition<P, Q>,
): void => {
  const { service } = deps;
  const { params = {} as P, query = {} as Q } = definition;
  const readParameters = parameterReader(
    { params, query },
    { hasFiles: files !== undefined, tables: Object.keys(tables) },
  );

  const render = async (wanted: RequestOf<P, Q>, unwanted: AbortSignal): Promise<ValidPage> => {
    const { view, moment } = wanted;
    const version = lakeVersion(service.lake);
    const content = await make({ ...wanted, moment: { ...moment, gone: () => unwanted } });
    const html = String(await framed(view, content));
    return {
      page: new PageBytes(html),
      version: lakeVersion(service.lake) === version ? version : null,
      from: view.at,
      until: view.isPast
        ? Number.POSITIVE_INFINITY
        : Math.min(minuteOf(view.at) + MINUTE_MS, holdsUntil(service.lake, view.at, [])),
    };
  };

  const respond = async (c: Context<ServiceEnv>): Promise<Response> => {
    const given = givenOf(c);
    const elsewhere = leadsTo?.(given);
    if (elsewhere !== undefined) return c.redirect(elsewhere, 302);
    const read = readParameters(c.req.param(), given);
    const { asOf, format, table } = read.query;
    const instant = asOf === undefined ? undefined : minuteOf(asOf);
    const { asOf: _, format: __, table: ___, ...kept } = given;
    const view = viewOf(deps, c, { instant, query: kept });
    if (kept.tag !== undefined && view.reader === 'public')
      throw new RefusedError('forbidden', 'Tags name clients, so they need a key. Sign in first.');
    const moment = { ...momentOf(service, c, instant), isPage: true } as const;
    const wanted = { ...read, view, moment };
    const waiting = { owner: moment.owner, gone: moment.gone() };
    const filesOf = table === undefined ? files : tables[table];
    if (format !== undefined && filesOf !== undefined) {
      const { name, bytes } = filesOf(wanted);
      const body = await service.pages.inTurn(() => bytes(format), waiting);
      const headers = {
        'content-type': FILE_TYPES[format],
        'content-disposition': `attachment; filename="${name}.${format}"`,
        'cache-control': 'no-store',
      };
      return new Response(body, { headers });
    }
    const cacheKey = JSON.stringify([view.path, kept, instant ?? null, view.reader]);
    const now = { version: lakeVersion(service.lake), at: service.now() };
    const page = await service.pages.page(
      cacheKey,
      now,
      (unwanted) => render(wanted, unwanted),
      waiting,
    );
    return sendPage(c, page);
  };

  deps.app.get(path.replace(/\{(\w+)\}/g, ':$1'), deps.guard, async (c) => {
    try {
      return await respond(c);
    } catch (error) {
      if (error instanceof RefusedError) return refusedPage(deps, c, error);
      throw error;
    }
  });
};
