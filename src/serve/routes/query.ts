import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { UsageError } from '../../base/errors.ts';
import { parseIso } from '../../base/iso.ts';
import { readCookbook, readDictionary } from '../../lake/query/dictionary.ts';
import { groupDictionary } from '../../lake/query/dictionary-groups.ts';
import { SavedQueries, type SavedQuery } from '../../lake/query/saved-queries.ts';
import { formBody } from '../http/body.ts';
import { RefusedError } from '../http/problems.ts';
import { isCrossOrigin, refuseCrossOrigin } from '../http/sent-from.ts';
import { PAGE_HEADERS } from '../pages/html.ts';
import { mayWatch, type PageDeps, sendPresentPage } from '../pages/page-route.ts';
import { CHART_KINDS, type ChartChoice } from '../pages/query-chart.ts';
import { type QueryOutcome, queryPage } from '../pages/query-page.ts';
import { momentOf, type ServiceEnv } from '../request/context.ts';
import { SqlFailure, type SqlStatement } from '../request/sql-queries.ts';

/** Statements up to this length are part of the URL, to be bookmarked and shared. */
const LONGEST_IN_ADDRESS = 4000;
const LONGEST_SQL = 20_000;

const statementIn = (text: string | null | undefined): string => {
  const sql = text?.trim() ?? '';
  if (sql.length <= LONGEST_SQL) return sql;
  throw new RefusedError(
    'payload-too-large',
    `The statement is longer than ${LONGEST_SQL} characters. Shorten it, or use the command line.`,
  );
};

const refusedField = (parameter: string, detail: string, message = detail): RefusedError =>
  new RefusedError('invalid-parameter', message, { errors: [{ parameter, detail }] });

type Fields = { get: (name: string) => string | null | undefined };

const PARAMETERS = ['asOf', 'chart', 'x', 'y'] as const;

/** Statement, instant and chart of a form or an address. */
interface AskedQuery extends SqlStatement {
  readonly choice: ChartChoice;
  /** Parameters besides the statement, for an address. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** @throws RefusedError */
const requestIn = (fields: Fields): AskedQuery => {
  const sql = statementIn(fields.get('sql'));
  const field = (name: string): string => fields.get(name)?.trim() ?? '';
  const given = PARAMETERS.map((name): [string, string] => [name, field(name)]);
  const parameters = Object.fromEntries(
    given.filter(([, value]) => value !== '' && value !== CHART_KINDS[0]),
  );
  const chart = CHART_KINDS.find((kind) => kind === field('chart')) ?? CHART_KINDS[0];
  const choice = { chart, x: field('x'), y: field('y') };
  const asOf = field('asOf') === '' ? undefined : parseIso(field('asOf'));
  if (field('asOf') === '' || asOf !== undefined) return { sql, asOf, choice, parameters };
  const detail = 'must be an ISO 8601 instant such as 2026-03-01T12:00:00Z';
  throw refusedField('asOf', detail, `asOf ${detail}.`);
};

/** `/query` and `/query.csv`: read-only SQL. Needs a key except on this machine. */
export const queryRoutes = (deps: PageDeps): void => {
  const { app, service, keyGuard } = deps;
  const requester = (c: Context<ServiceEnv>) => {
    const { owner, gone } = momentOf(service, c, undefined);
    return { owner, gone: gone() };
  };
  const saved = new SavedQueries(service.lake.dataDir);
  let dictionary: ReturnType<typeof groupDictionary> | undefined;
  let recipes: ReturnType<typeof readCookbook> | undefined;

  const outcomeOf = async (
    c: Context<ServiceEnv>,
    statement: SqlStatement,
  ): Promise<QueryOutcome> => {
    try {
      return { found: await service.queries.table(statement, requester(c)) };
    } catch (error) {
      if (error instanceof SqlFailure || error instanceof RefusedError)
        return { failed: error.message };
      throw error;
    }
  };

  const show = (
    c: Context<ServiceEnv>,
    { sql, asOf, choice }: AskedQuery,
    { outcome, open }: { outcome: QueryOutcome; open?: SavedQuery | undefined },
  ): Promise<Response> => {
    recipes ??= readCookbook();
    dictionary ??= groupDictionary(readDictionary(), recipes);
    const maySave = mayWatch(deps, c);
    const known = { dictionary, recipes, saved: saved.list(), open, maySave };
    return sendPresentPage(deps, c, () => queryPage({ sql, asOf, choice, outcome, ...known }));
  };

  const showRun = async (
    c: Context<ServiceEnv>,
    asked: AskedQuery,
    open?: SavedQuery,
  ): Promise<Response> => {
    const outcome: QueryOutcome = isCrossOrigin(c) ? { held: true } : await outcomeOf(c, asked);
    return show(c, asked, { outcome, open });
  };

  app.get('/query', keyGuard, async (c) => {
    const asked = requestIn({ get: (name) => c.req.query(name) });
    return asked.sql === '' ? show(c, asked, { outcome: undefined }) : showRun(c, asked);
  });

  app.get('/query/:slug', keyGuard, async (c) => {
    const slug = c.req.param('slug');
    const open = saved.find(slug);
    if (open === undefined)
      throw new RefusedError('not-found', `No saved query "${slug}". See /query for those saved.`);
    const fields = new URLSearchParams(open.parameters);
    fields.set('sql', open.sql);
    return showRun(c, requestIn(fields), open);
  });

  const sentForm = (c: Context<ServiceEnv>): Promise<URLSearchParams> => {
    refuseCrossOrigin(c, 'Queries can only be sent from the page /query.');
    return formBody(c);
  };

  const savingForm = (c: Context<ServiceEnv>): Promise<URLSearchParams> => {
    if (mayWatch(deps, c)) return sentForm(c);
    throw new RefusedError(
      'forbidden',
      'This key cannot save queries. Use a key with the scope "watch", or this machine.',
    );
  };

  app.post('/query/save', keyGuard, async (c) => {
    const fields = await savingForm(c);
    const { sql, parameters } = requestIn(fields);
    try {
      const name = fields.get('name')?.trim() ?? '';
      const { slug } = saved.save(
        { name, sql, parameters: String(new URLSearchParams(parameters)) },
        service.clock.now(),
      );
      return c.redirect(`/query/${encodeURIComponent(slug)}`, 303);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw refusedField('name', error.message);
    }
  });

  app.post('/query/delete', keyGuard, async (c) => {
    saved.delete((await savingForm(c)).get('slug') ?? '');
    return c.redirect('/query', 303);
  });

  app.post('/query', keyGuard, async (c) => {
    const asked = requestIn(await sentForm(c));
    const { sql, parameters } = asked;
    if (sql.length > LONGEST_IN_ADDRESS)
      return show(c, asked, { outcome: await outcomeOf(c, asked) });
    c.header('cache-control', 'no-store');
    return c.redirect(`/query?${new URLSearchParams({ sql, ...parameters })}`, 303);
  });

  app.post('/query.csv', keyGuard, async (c) => {
    const asked = requestIn(await sentForm(c));
    return csvResponse(deps, asked, { ...requester(c), outgoing: c.env.outgoing });
  });
};

/** Streams rows. An error before the first row is a problem response, a later one truncates the file. */
const csvResponse = async (
  { service }: PageDeps,
  asked: SqlStatement,
  { owner, gone, outgoing }: { owner: string; gone: AbortSignal; outgoing: ServerResponse },
): Promise<Response> => {
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const begun = Promise.withResolvers<boolean>();
  const done = service.queries
    .csv(asked, { owner, gone: AbortSignal.any([gone, stop.signal]) }, async (lines) => {
      begun.resolve(true);
      await writer.ready;
      await writer.write(encoder.encode(`${lines}\n`));
    })
    .then(() => writer.close());
  done.catch((error: unknown) => {
    begun.reject(error);
    if (outgoing.headersSent) outgoing.destroy(); // so that the client sees that the file is incomplete
  });
  writer.closed.catch(() => stop.abort());
  try {
    await Promise.race([begun.promise, done]);
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    throw refusedField('sql', error.message);
  }
  return new Response(readable, {
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="query.csv"',
    },
  });
};
