import { OpenAPIHono } from '@hono/zod-openapi';
import Database from 'better-sqlite3';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import type { Logger } from 'pino';
import { messageOf } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Admit, authenticate, DOCUMENT_PATH } from './auth/authenticate.ts';
import type { ServiceApp, ServiceContext, ServiceEnv } from './context.ts';
import { allowedMethods } from './methods.ts';
import { openApiRoute } from './openapi.ts';
import { problemResponse, RefusedError, refusedParameters } from './problems.ts';
import { creatorRoutes } from './routes/creators.ts';
import { extensionRoutes } from './routes/extensions.ts';
import { healthRoute } from './routes/health.ts';
import { type Analyze, labRoute } from './routes/lab.ts';
import { listRoutes } from './routes/lists.ts';
import { metricsRoute } from './routes/metrics.ts';
import { pageRoutes } from './routes/pages.ts';
import { type SearchVideos, searchRoute } from './routes/search.ts';
import { type CurveOf, videoRoutes } from './routes/videos.ts';

import { hookRoute, type WebhookContext, webhookRoutes } from './routes/webhooks.ts';

/** Answers that other rooms of the house give. */
export interface Capabilities {
  readonly curveOf: CurveOf;
  readonly searchVideos: SearchVideos;
  readonly analyze: Analyze;
  readonly webhooks: WebhookContext;
}

/** How the service meets the outside. */
export interface Surroundings {
  /** Receives what failed unexpectedly. */
  readonly log: Logger;
  /** Origins whose pages may read answers; none unless configured. */
  readonly corsOrigins: readonly string[];
  /** Told at `/metrics`; no such address without. */
  readonly metrics: Metrics | undefined;
}

const LARGEST_BODY_BYTES = 64 * 1024;

const newApp = (): ServiceApp =>
  new OpenAPIHono<ServiceEnv>({
    defaultHook: (result) => {
      if (!result.success) throw refusedParameters(result.target, result.error.issues);
    },
  });

/** What an address that does not answer this method says: 405 where another would, else 404. */
const nothingHere = (app: ServiceApp, c: Context<ServiceEnv>): Response => {
  const methods = allowedMethods(app, c.req.path);
  return problemResponse(
    methods.length === 0
      ? new RefusedError(
          'not-found',
          `There is nothing at ${c.req.path}. /v1/openapi.json lists what there is.`,
        )
      : new RefusedError(
          'method-not-allowed',
          `${c.req.path} answers ${methods.join(', ')}, not ${c.req.method}.`,
          { headers: { allow: methods.join(', ') } },
        ),
  );
};

/** What a thrown value is refused with: refusals as they are, a lake that cannot be read now as 503. */
export const refusalOf = (error: unknown, log: Logger): RefusedError => {
  if (error instanceof RefusedError) return error;
  log.error({ err: error }, 'a request failed unexpectedly');
  return error instanceof Database.SqliteError
    ? new RefusedError(
        'unavailable',
        `The lake cannot be read now (${messageOf(error)}). Try again in a moment.`,
        { headers: { 'retry-after': '1' } },
      )
    : new RefusedError('internal', 'Something failed here; it was logged. Try again later.');
};

const failureResponse = (error: unknown, c: Context, log: Logger): Response =>
  problemResponse(
    !(error instanceof RefusedError) && c.req.raw.signal.aborted
      ? new RefusedError('unavailable', 'Nobody waits for this answer.')
      : refusalOf(error, log),
  );

const smallBodies = bodyLimit({
  maxSize: LARGEST_BODY_BYTES,
  onError: () => {
    throw new RefusedError(
      'payload-too-large',
      `A body holds at most ${LARGEST_BODY_BYTES} bytes (64 KiB).`,
    );
  },
});

/** What is not a list: those compress themselves, so that it is done once for all who ask. */
const COMPRESSED = ['/', '/docs', '/assets/*', '/metrics', DOCUMENT_PATH, '/v1/lab/*'];

/** Everything under `/v1` (first the key, then the address, then the parameters) and its OpenAPI text. */
const versionOne = (
  service: ServiceContext,
  admit: Admit,
  capabilities: Capabilities,
): { v1: ServiceApp; document: () => string } => {
  const v1 = newApp();
  const withKey = authenticate(admit);
  v1.use((c, next) =>
    c.req.path === DOCUMENT_PATH && c.req.header('authorization') === undefined
      ? next()
      : withKey(c, next),
  );
  v1.on(['POST', 'PUT', 'PATCH', 'DELETE'], '*', smallBodies); // looking for a GET's body costs time
  listRoutes(v1, service);
  creatorRoutes(v1, service);
  videoRoutes(v1, service, capabilities.curveOf);
  searchRoute(v1, service, capabilities.searchVideos);
  labRoute(v1, service, capabilities.analyze);
  extensionRoutes(v1, service);
  webhookRoutes(v1, service, capabilities.webhooks);
  return { v1, document: openApiRoute(v1) };
};

/** The whole service as one function from request to response. */
export const serviceApp = (
  service: ServiceContext,
  admit: Admit,
  capabilities: Capabilities,
  { log, corsOrigins, metrics }: Surroundings,
): ServiceApp => {
  const app = newApp();
  app.onError((error, c) => failureResponse(error, c, log));
  app.notFound((c) => nothingHere(app, c));
  if (corsOrigins.length > 0)
    app.use(
      '/v1/*',
      cors({
        origin: [...corsOrigins],
        allowHeaders: ['Authorization', 'Content-Type', 'If-None-Match'],
        exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'ETag', 'Age'],
      }),
    );
  for (const path of COMPRESSED) app.use(path, compress({ encoding: 'gzip' }));
  healthRoute(app, service);
  if (metrics !== undefined) metricsRoute(app, metrics);
  app.use('/hooks/*', smallBodies);
  hookRoute(app, service, capabilities.webhooks);
  const { v1, document } = versionOne(service, admit, capabilities);
  pageRoutes(app, service, document);
  app.route('/v1', v1);
  return app;
};
