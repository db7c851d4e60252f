import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { parseIso } from '../../base/iso.ts';
import { readCookbook, readDictionary } from '../../lake/query/dictionary.ts';
import { PageBytes } from '../cache/page-cache.ts';
import { formBody } from '../http/body.ts';
import { problemResponse, RefusedError } from '../http/problems.ts';
import { isCrossOrigin } from '../http/sent-from.ts';
import { framed } from '../pages/frame.ts';
import { PAGE_HEADERS } from '../pages/page-headers.ts';
import { type PageDeps, presentView, sendFixedPage } from '../pages/page-route.ts';
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

/** Statement and instant of a form or an address. @throws RefusedError */
const requestIn = (fields: {
  get: (name: string) => string | null | undefined;
}): SqlStatement & { readonly asOfText: string } => {
  const sql = statementIn(fields.get('sql'));
  const asOfText = fields.get('asOf')?.trim() ?? '';
  const asOf = asOfText === '' ? undefined : parseIso(asOfText);
  if (asOfText === '' || asOf !== undefined) return { sql, asOf, asOfText };
  const detail = 'must be an ISO 8601 instant such as 2026-03-01T12:00:00Z';
  throw new RefusedError('invalid-parameter', `asOf ${detail}.`, {
    errors: [{ parameter: 'asOf', detail }],
  });
};

/** `/query` and `/query.csv`: read-only SQL. Needs a key except on this machine. */
export const queryRoutes = (deps: PageDeps): void => {
  const { app, service, keyGuard } = deps;
  const requester = (c: Context<ServiceEnv>) => {
    const { owner, gone } = momentOf(service, c, undefined);
    return { owner, gone: gone() };
  };
  let parts: ReturnType<typeof readDictionary> | undefined;
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

  const show = async (
    c: Context<ServiceEnv>,
    { sql, asOf }: SqlStatement,
    outcome: QueryOutcome,
  ): Promise<Response> => {
    parts ??= readDictionary();
    recipes ??= readCookbook();
    const shown = queryPage({ sql, asOf, outcome, dictionary: parts, recipes });
    const page = new PageBytes(String(await framed(presentView(deps, c), shown)));
    return sendFixedPage(c, page);
  };

  app.get('/query', keyGuard, async (c) => {
    const asked = requestIn({ get: (name) => c.req.query(name) });
    if (asked.sql === '') return show(c, asked, undefined);
    return show(c, asked, isCrossOrigin(c) ? { held: true } : await outcomeOf(c, asked));
  });

  app.post('/query', keyGuard, async (c) => {
    rejectCrossOrigin(c);
    const asked = requestIn(await formBody(c));
    const { sql, asOfText } = asked;
    if (sql.length > LONGEST_IN_ADDRESS) return show(c, asked, await outcomeOf(c, asked));
    c.header('cache-control', 'no-store');
    const address = { sql, ...(asOfText === '' ? {} : { asOf: asOfText }) };
    return c.redirect(`/query?${new URLSearchParams(address)}`, 303);
  });

  app.post('/query.csv', keyGuard, async (c) => {
    rejectCrossOrigin(c);
    const asked = requestIn(await formBody(c));
    return csvResponse(deps, asked, { ...requester(c), outgoing: c.env.outgoing });
  });
};

const rejectCrossOrigin = (c: Context<ServiceEnv>): void => {
  if (isCrossOrigin(c))
    throw new RefusedError('forbidden', 'Queries can only be sent from the page /query.');
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
    return problemResponse(
      new RefusedError('invalid-parameter', error.message, {
        errors: [{ parameter: 'sql', detail: error.message }],
      }),
    );
  }
  return new Response(readable, {
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="query.csv"',
    },
  });
};
