import { type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { SECOND_MS } from '../../base/durations.ts';
import { misspelt } from '../../base/nearest.ts';
import { oneReading } from '../../lake/statements.ts';
import { invalidParameters, refusedParameters } from '../http/problems.ts';
import type { ServiceApp, ServiceContext, ServiceEnv } from './context.ts';
import type { Deprecation } from './describe.ts';

type Responder<R extends RouteConfig> = (
  c: Parameters<RouteHandler<R, ServiceEnv>>[0],
) => Response | Promise<Response>;

const read = (
  target: 'param' | 'query',
  schema: z.ZodType | undefined,
  given: () => Record<string, unknown>,
): object => {
  const result = schema?.safeParse(given());
  if (result?.success === false) throw refusedParameters(target, result.error.issues);
  return (result?.data ?? {}) as object;
};

/** Repeated parameters stay lists, which validation rejects. */
const single = (lists: Record<string, string[]>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(lists).map(([name, given]) => [name, given.length === 1 ? given[0] : given]),
  );

/** Refuses misspelt query parameters, and names all other unknown ones in `X-Ignored-Parameters`. */
const noteUnknown = (c: Context<ServiceEnv>, schema: z.ZodType | undefined): void => {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const unknown = Object.keys(c.req.query()).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const errors = unknown.flatMap((parameter) => {
    const meant = misspelt(parameter, known);
    return meant === undefined
      ? []
      : [{ parameter, detail: `There is no such parameter. Did you mean ${meant}?` }];
  });
  if (errors.length > 0) throw invalidParameters(errors);
  c.env.exchange.isUnkept = true;
  const names = unknown.map((name) => encodeURIComponent(name).slice(0, LONGEST_NAME));
  c.env.outgoing.setHeader('x-ignored-parameters', names.slice(0, MOST_NAMED).join(', '));
};

const LONGEST_NAME = 100;
const MOST_NAMED = 20;

/** Headers of a route that will end (RFC 9745, RFC 8594). */
const noteDeprecation = (c: Context<ServiceEnv>, deprecation: Deprecation | undefined): void => {
  if (deprecation === undefined) return;
  const { since, sunset } = deprecation;
  c.env.exchange.isUnkept = true; // from memory it would come without them
  c.env.outgoing.setHeader('deprecation', `@${Date.parse(since) / SECOND_MS}`);
  c.env.outgoing.setHeader('sunset', new Date(sunset).toUTCString());
};

/** Validates the parameters of a route, path first, for `c.req.valid`. */
const parametersOf =
  ({ request, ...route }: RouteConfig): MiddlewareHandler<ServiceEnv> =>
  (c, next) => {
    noteDeprecation(c, route['x-deprecation'] as Deprecation | undefined);
    c.req.addValidatedData(
      'param',
      read('param', request?.params, () => c.req.param()),
    );
    noteUnknown(c, request?.query);
    c.req.addValidatedData(
      'query',
      read('query', request?.query, () => single(c.req.queries())),
    );
    return next();
  };

/** Registers a GET with validated parameters. A synchronous `app.openapi` that takes a fifth of the time. */
export const respondGet = <R extends RouteConfig & { getRoutingPath(): string }>(
  app: ServiceApp,
  { lake }: Pick<ServiceContext, 'lake'>,
  route: R,
  answer: Responder<R>,
): void => {
  app.openAPIRegistry.registerPath(route);
  app.get(route.getRoutingPath(), parametersOf(route), (c) =>
    oneReading(lake, () => answer(c as Parameters<Responder<R>>[0])),
  );
};
