import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SECOND_MS } from '../../base/durations.ts';
import { misspelt } from '../../base/nearest.ts';
import { oneReading } from '../../lake/statements.ts';
import { invalidParameters } from '../http/problems.ts';
import type { ResponseContent } from '../http/written-response.ts';
import {
  momentOf,
  respond,
  type ServiceApp,
  type ServiceContext,
  type ServiceEnv,
} from './context.ts';
import type { Deprecation, GetRoute } from './describe.ts';
import { checkedParameters } from './parameters.ts';

/** Repeated parameters stay lists, which validation rejects. */
const single = (lists: Record<string, string[]>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(lists).map(([name, given]) => [name, given.length === 1 ? given[0] : given]),
  );

/** Refuses misspelt query parameters, and names all other unknown ones in `X-Ignored-Parameters`. */
const noteUnknown = (c: Context<ServiceEnv>, schema: z.ZodObject): void => {
  const known = Object.keys(schema.shape);
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
  c.env.exchange.isUnkept = true; // a cached response would lack the headers
  c.env.outgoing.setHeader('deprecation', `@${Date.parse(since) / SECOND_MS}`);
  c.env.outgoing.setHeader('sunset', new Date(sunset).toUTCString());
};

/** Registers a GET: checks its parameters, path first, and reads one state of the lake. */
export const respondGet = <S extends Pick<ServiceContext, 'lake' | 'now' | 'responses'>>(
  app: ServiceApp,
  service: S,
  { config, deprecation, ...route }: GetRoute<S>,
): void => {
  app.openAPIRegistry.registerPath(config);
  app.get(config.getRoutingPath(), (c): Response | Promise<Response> => {
    noteDeprecation(c, deprecation);
    const params = checkedParameters('param', route.params, c.req.param());
    noteUnknown(c, route.query);
    const query = checkedParameters('query', route.query, single(c.req.queries()));
    const asOf = query.asOf as number | undefined;
    const moment = momentOf(service, c, asOf);
    return oneReading(service.lake, () => {
      const send = (content: ResponseContent): Response => respond(service, c, content, asOf);
      const content = route.read(service, { ...params, ...query }, moment, c);
      return 'body' in content ? send(content) : content.then(send);
    });
  });
};

/** Registers a POST or DELETE. */
export const respondChange = (
  app: ServiceApp,
  route: RouteConfig & { getRoutingPath(): string },
  work: (c: Context<ServiceEnv>) => Response | Promise<Response>,
): void => {
  app.openAPIRegistry.registerPath(route);
  app.on(route.method.toUpperCase(), route.getRoutingPath(), work);
};

export const NO_STORE = { 'cache-control': 'no-store' };
