import type { IncomingMessage } from 'node:http';
import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import type { ListMoment } from '../../history/list-page.ts';
import { parseIso } from '../../iso.ts';
import { lakeVersion } from '../../lake/lake-version.ts';
import type { KeyStanding } from '../auth/limits.ts';
import { type MadePage, PageBytes } from '../cache/page-cache.ts';
import { momentOf, type ServiceApp, type ServiceContext, type ServiceEnv } from '../context.ts';
import { asOf, limit, page } from '../parameters.ts';
import { type ParameterError, RefusedError, refusedParameters } from '../problems.ts';
import { acceptsGzip } from '../written-response.ts';
import { type Column, sortNames } from './data-table.ts';
import { type FramedPage, framed } from './frame.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import type { PageReader, PageView } from './page-view.ts';
import { problemPage } from './problem-page.ts';
import { FILE_FORMATS, FILE_TYPES, type TableFiles } from './table-files.ts';

/** What a page shows, and the windows (ms) before its instant that it is made from. */
export interface MadeContent extends FramedPage {
  readonly windowsMs?: readonly number[];
}

/** What lists and searches of a page are asked with. */
export interface PageMoment extends Pick<ListMoment, 'asOf' | 'isNow' | 'owner'> {
  /** Tells when nobody waits for the page any more. */
  readonly gone: () => AbortSignal;
}

/** What a page is made for. `moment` is what the lists are asked with. */
export interface PageRequest<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly view: PageView;
  readonly moment: PageMoment;
}

type FilesOf<P extends z.ZodObject, Q extends z.ZodObject> = (
  wanted: PageRequest<z.infer<P>, z.infer<Q>>,
) => TableFiles;

/**
 * One page: its address (as the interface writes them), its parameters (those of
 * src/serve/parameters.ts; empty ones count as not given), and how it is made.
 */
export interface PageDefinition<P extends z.ZodObject, Q extends z.ZodObject> {
  readonly path: string;
  readonly params: P;
  readonly query: Q;
  /** @throws RefusedError for what is not known: answered by a page that says so */
  readonly make: (
    wanted: PageRequest<z.infer<P>, z.infer<Q>>,
  ) => MadeContent | Promise<MadeContent>;
  /** Where an address of before leads now; undefined: nowhere else. */
  readonly leadsTo?: (given: Readonly<Record<string, string>>) => string | undefined;
  /** What `format=csv` and `format=parquet` give; without it the page has no files. */
  readonly files?: FilesOf<P, Q>;
  /** What is given in their place where `table` names one of these. */
  readonly tables?: Readonly<Record<string, FilesOf<P, Q>>>;
}

/** What pages stand behind. */
export interface PageDeps {
  readonly app: ServiceApp;
  readonly service: ServiceContext;
  /** Who may read them. */
  readonly guard: MiddlewareHandler<ServiceEnv>;
  /** The same where a key is asked for of everybody but who is on this machine. */
  readonly keyGuard: MiddlewareHandler<ServiceEnv>;
  /** Whether a request comes from this machine, whose lake it is. */
  readonly isOperator: (incoming: IncomingMessage) => boolean;
}

/** The parameters of every list that is paged and sorted by its columns. */
export const tableParameters = <Row>(columns: readonly Column<Row>[]) => {
  const names = sortNames(columns);
  return {
    sort: z
      .enum(names as [string, ...string[]], {
        error: `Expected a column, with - before it for the largest first: one of ${names.filter((name) => !name.startsWith('-')).join(', ')}.`,
      })
      .optional(),
    limit,
    page,
  };
};

const fileFormat = z
  .enum(FILE_FORMATS, { error: `Expected one of ${FILE_FORMATS.join(', ')}.` })
  .optional();

const tableName = (names: readonly string[]) =>
  z
    .enum(names as [string, ...string[]], { error: `Expected one of ${names.join(', ')}.` })
    .optional();

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

const readerOf = ({ isOperator }: PageDeps, c: Context<ServiceEnv>): PageReader => {
  const standing: KeyStanding | undefined = c.get('standing');
  if (standing !== undefined) return { keyId: standing.id };
  return isOperator(c.env.incoming) ? 'operator' : 'public';
};

/** The instant of the moment shown where parameters could not be read: the present. */
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

/** What a page is shown for that knows neither an instant nor parameters. */
export const presentView = (deps: PageDeps, c: Context<ServiceEnv>): PageView =>
  viewOf(deps, c, { instant: undefined, query: {} });

/** Parameters as given, those that say nothing left out. @throws RefusedError for a doubled one */
const givenOf = (c: Context<ServiceEnv>): Record<string, string> => {
  const given: Record<string, string> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    const told = values.filter((value) => value.trim() !== '');
    if (told.length > 1)
      throw refusedParameters('query', [
        { path: [name], message: `Was given ${told.length} times.` },
      ]);
    if (told[0] !== undefined) given[name] = told[0];
  }
  return given;
};

const unknownNames = (given: object, known: readonly string[]): ParameterError[] =>
  Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((parameter) => ({
      parameter,
      detail: `Is not known here. Known: ${known.join(', ')}.`,
    }));

const checked = <S extends z.ZodObject>(
  target: 'param' | 'query',
  schema: S,
  given: object,
): z.infer<S> => {
  const result = schema.safeParse(given);
  if (!result.success) throw refusedParameters(target, result.error.issues);
  return result.data as z.infer<S>;
};

/** Windows that the lists of the pages are made from. */
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

/** Sends a page that depends on nothing but this process. */
export const sendFixedPage = (c: Context<ServiceEnv>, made: PageBytes): Response =>
  sendPage(c, made, 200);

/** A refusal as a page for people, with the status it has in the interface. */
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

/**
 * Serves a page: its parameters checked, made in turn with the others and kept while it is true, at
 * the instant of `asOf`. What is refused below it becomes a page that says so. Every page is behind the
 * guard, so that none can be forgotten.
 */
export const pageRoute = <P extends z.ZodObject, Q extends z.ZodObject>(
  deps: PageDeps,
  definition: PageDefinition<P, Q>,
): void => {
  const { app, service, guard } = deps;
  const { path, make, files, tables = {}, leadsTo } = definition;
  const query = z.object({
    ...definition.query.shape,
    asOf,
    ...(files === undefined ? {} : { format: fileFormat }),
    ...(Object.keys(tables).length === 0 ? {} : { table: tableName(Object.keys(tables)) }),
  });
  const known = Object.keys(query.shape);

  const answer = async (c: Context<ServiceEnv>): Promise<Response> => {
    const given = givenOf(c);
    const elsewhere = leadsTo?.(given);
    if (elsewhere !== undefined) return c.redirect(elsewhere, 308);
    const unknown = unknownNames(given, known);
    if (unknown.length > 0)
      throw refusedParameters(
        'query',
        unknown.map(({ parameter, detail }) => ({ path: [parameter], message: detail })),
      );
    const params = checked('param', definition.params, c.req.param());
    const read = checked('query', query as unknown as z.ZodObject, given) as z.infer<Q> & {
      asOf?: number;
      format?: (typeof FILE_FORMATS)[number];
      table?: string;
    };
    const instant = read.asOf === undefined ? undefined : minuteOf(read.asOf);
    const { asOf: _, format: __, table: ___, ...kept } = given;
    const view = viewOf(deps, c, { instant, query: kept });
    const moment = momentOf(service, c, instant);
    const wanted = { params, query: read, view, moment };
    const { format } = read;
    const filesOf = read.table === undefined ? files : tables[read.table];
    if (format !== undefined && filesOf !== undefined) {
      const { name, bytes } = filesOf(wanted);
      const made = await service.pages.inTurn(() => bytes(format));
      return new Response(made, {
        headers: {
          'content-type': FILE_TYPES[format],
          'content-disposition': `attachment; filename="${name}.${format}"`,
          'cache-control': 'no-store',
        },
      });
    }
    const made = await service.pages.page(
      JSON.stringify([view.path, kept, instant ?? null, view.reader]),
      { version: lakeVersion(service.lake), at: service.now() },
      async (unwanted): Promise<MadePage> => {
        const version = lakeVersion(service.lake);
        const content = await make({ ...wanted, moment: { ...moment, gone: () => unwanted } });
        const html = String(await framed(view, content));
        const until = view.isPast
          ? Number.POSITIVE_INFINITY
          : Math.min(
              minuteOf(view.at) + MINUTE_MS,
              service.changes.holdsUntil(view.at, content.windowsMs ?? WINDOWS_MS),
            );
        return {
          page: new PageBytes(html),
          version: lakeVersion(service.lake) === version ? version : null,
          from: view.at,
          until,
        };
      },
      moment.gone(),
    );
    return sendPage(c, made, 200);
  };

  app.get(path.replace(/\{(\w+)\}/g, ':$1'), guard, async (c) => {
    try {
      return await answer(c);
    } catch (error) {
      if (error instanceof RefusedError) return refusedPage(deps, c, error);
      throw error;
    }
  });
};
