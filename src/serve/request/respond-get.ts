import type { RouteConfig, RouteHandler, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { oneReading } from '../../lake/one-reading.ts';
import { refusedParameters } from '../http/problems.ts';
import type { ServiceApp, ServiceContext, ServiceEnv } from './context.ts';

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

/** Validates the parameters of a route, path first, for `c.req.valid`. */
const parametersOf =
  ({ request }: RouteConfig): MiddlewareHandler<ServiceEnv> =>
  (c, next) => {
    c.req.addValidatedData(
      'param',
      read('param', request?.params, () => c.req.param()),
    );
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
