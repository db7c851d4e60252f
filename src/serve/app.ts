import type { IncomingMessage } from 'node:http';
import { OpenAPIHono } from '@hono/zod-openapi';
import Database from 'better-sqlite3';
import type { Context } from 'hono';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { methodNotAllowed } from 'hono/method-not-allowed';
import type { Logger } from 'pino';
import { messageOf, TrendlakeError } from '../base/errors.ts';
import type { Metrics } from '../run/metrics/metrics.ts';
import { clientGone, problemResponse, RefusedError } from './http/problems.ts';
import { openApiRoute } from './openapi.ts';
import { alertsRoute } from './pages/alerts-page.ts';
import { refusedPage } from './pages/page-route.ts';
import { watchingRoutes } from './pages/watching-page.ts';
import type { ServiceApp, ServiceContext, ServiceEnv } from './request/context.ts';
import type { GetRoute } from './request/describe.ts';
import { letIn } from './request/let-in.ts';
import { respondGet } from './request/respond-get.ts';
import { creatorRoute } from './routes/creators.ts';
import { eventsRoute, usageRoute } from './routes/extensions.ts';
import { forecastsRoute } from './routes/forecasts.ts';
import { healthRoute, metricsRoute } from './routes/health.ts';
import { labRoute } from './routes/lab.ts';
import { feedRoute, hashtagsRoute, trendsRoute } from './routes/lists.ts';
import { pageRoutes } from './routes/pages.ts';
import { searchRoute } from './routes/search.ts';
import { letInPages, type PageAccess, signInRoutes } from './routes/sign-in.ts';
import { growthRoute, videoRoute } from './routes/videos.ts';
import { watchChanges, watchesRoute } from './routes/watches.ts';
import {
  deliveriesRoute,
  hookRoute,
  subscriptionRoute,
  subscriptionsRoute,
  webhookChanges,
} from './routes/webhooks.ts';

export interface ServiceSurroundings {
  readonly access: PageAccess;
  /** Public URL without a path. */
  readonly origin: () => string;
  /** Receives unexpected errors. */
  readonly log: Logger;
  /** Origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  /** Undefined: no `/metrics`. */
  readonly metrics: Metrics | undefined;
}

const LONGEST_PATH = 512;

/** Finds the route pattern of an address, such as `/v1/feed/:platform`, or `unknown`. Bounds metric labels. */
export const routesOf = (app: ServiceApp): ((method: string, address: string) => string) => {
  const isPage = ({ method, path }: { method: string; path: string }): boolean =>
    method !== 'ALL' && !path.endsWith('*'); // without middleware
  return (method, address) => {
    const path = address.split('?', 1)[0] ?? '';
    if (path.length > LONGEST_PATH) return 'unknown';
    const [found] = app.router.match(method === 'HEAD' ? 'GET' : method, path);
    const route = found.findLast(([[, route]]) => isPage(route));
    return route?.[0][1].path ?? 'unknown';
  };
};

const nothingHere = (path: string): RefusedError =>
  new RefusedError('not-found', `Not found: ${path}. /v1/openapi.json lists all endpoints.`);

const wantsPage = (c: Context<ServiceEnv>): boolean =>
  c.req.header('accept')?.includes('text/html') === true;

/** Responds 405 when the path has routes for other methods, otherwise 404. Browsers get a page. */
const noRoute = (
  app: ServiceApp,
  page: (c: Context<ServiceEnv>, refusal: RefusedError) => Promise<Response>,
): ((c: Context<ServiceEnv>) => Promise<Response>) => {
  const otherMethod = methodNotAllowed<ServiceEnv>({
    app,
    onMethodNotAllowed: ({ req: { path, method } }, methods) => {
      const allow = methods.join(', ');
      const detail = `${path} does not support ${method}. Use ${allow}.`;
      return problemResponse(
        new RefusedError('method-not-allowed', detail, { headers: { allow } }),
      );
    },
  });
  return async (c) => {
    await otherMethod(c, async () => {
      const { method, path } = c.req;
      const isPage = method === 'GET' && !path.startsWith('/v1') && wantsPage(c);
      c.res = isPage
        ? await page(c, new RefusedError('not-found', `No page has the address ${path}.`))
        : problemResponse(nothingHere(path));
    });
    return c.res;
  };
};

/** The problem for a thrown value: 503 for an unreadable lake, 500 for unexpected errors. */
export const refusalOf = (error: unknown, log: Logger): RefusedError => {
  if (error instanceof RefusedError) return error;
  log.error({ err: error }, 'unexpected error in a request');
  if (error instanceof TrendlakeError && error.transient)
    return new RefusedError(
      'unavailable',
      'The key could not be checked because the database of keys is busy. Try again in 5 s.',
      { headers: { 'retry-after': '5' } },
    );
  return error instanceof Database.SqliteError
    ? new RefusedError(
        'unavailable',
        `The lake cannot be read: ${messageOf(error)}. Try again in 1 s.`,
        { headers: { 'retry-after': '1' } },
      )
    : new RefusedError(
        'internal',
        'An unexpected error occurred. The log of the service has the details. Try again later.',
      );
};

const failureResponse = (error: unknown, c: Context, log: Logger): Response =>
  problemResponse(
    !(error instanceof RefusedError) && c.req.raw.signal.aborted
      ? clientGone()
      : refusalOf(error, log),
  );

/** Addresses that people guess. */
const REDIRECTS = [
  ['/videos', '/trends'],
  ['/sign-in', '/'],
] as const;

/** Lists and pages compress themselves. */
const COMPRESSED = ['/metrics', '/v1/lab/*'];

/** Routes under `/v1` and their OpenAPI document. Checks the key, the path and the parameters, in this order. */
const versionOne = (service: ServiceContext): { v1: ServiceApp; document: () => string } => {
  const v1: ServiceApp = new OpenAPIHono();
  const read = (...routes: readonly GetRoute<ServiceContext>[]): void => {
    for (const route of routes) respondGet(v1, service, route);
  };
  read(feedRoute, trendsRoute, hashtagsRoute, creatorRoute, growthRoute, videoRoute, searchRoute);
  labRoute(v1, service);
  read(
    eventsRoute,
    usageRoute,
    forecastsRoute,
    subscriptionsRoute,
    subscriptionRoute,
    deliveriesRoute,
  );
  webhookChanges(v1, service);
  read(watchesRoute);
  watchChanges(v1, service);
  return { v1, document: openApiRoute(v1) };
};

export const serviceApp = (
  service: ServiceContext,
  { access, origin, log, corsOrigins, metrics }: ServiceSurroundings,
): ServiceApp => {
  const app: ServiceApp = new OpenAPIHono();
  app.onError((error, c) => failureResponse(error, c, log));
  app.notFound(noRoute(app, (c, refusal) => refusedPage(pages, c, refusal)));
  if (corsOrigins.length > 0)
    app.use(
      '/v1/*',
      cors({
        origin: [...corsOrigins],
        allowMethods: ['GET', 'POST', 'DELETE'],
        maxAge: 7200, // the longest that Chrome keeps
        allowHeaders: [
          'Authorization',
          'Content-Type',
          'Idempotency-Key',
          'If-None-Match',
          'If-Modified-Since',
          'X-Request-Id',
        ],
        exposeHeaders: [
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'ETag',
          'Age',
          'Link',
          'X-Request-Id',
          'X-Ignored-Parameters',
        ],
      }),
    );
  app.use('/v1/*', letIn(service, access.admission));
  const guard = letInPages(service, access);
  app.use('/metrics', guard);
  for (const path of COMPRESSED) app.use(path, compress({ encoding: 'gzip' }));
  healthRoute(app, service);
  if (metrics !== undefined) metricsRoute(app, metrics);
  hookRoute(app, service);
  const { v1, document } = versionOne(service);
  const { exposure } = access;
  const isOperator = (incoming: IncomingMessage): boolean => exposure.isLocalTo(incoming);
  const keyGuard = letInPages(service, access, isOperator);
  const pages = { app, service, guard, keyGuard, isOperator };
  for (const [path, to] of REDIRECTS) app.get(path, (c) => c.redirect(to, 302));
  pageRoutes(pages, { document, origin });
  watchingRoutes(pages);
  alertsRoute(pages);
  signInRoutes(app, service, access);
  app.route('/v1', v1);
  return app;
};
