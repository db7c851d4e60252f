import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi';
import { problem } from '../../base/wire/shapes.ts';
import { PROBLEMS, type Slug } from '../http/problems.ts';
import { EXAMPLE_RESPONSES } from './examples.ts';

type Json = { 'application/json': { schema: z.ZodType; example: unknown } };

/** Problems of every route. */
const ALWAYS: readonly Slug[] = [
  'missing-key',
  'unknown-key',
  'forbidden',
  'rate-limited',
  'quota-exhausted',
  'internal',
  'unavailable',
];

/** Problem responses of a route by status. */
export const problemsOf = (slugs: readonly Slug[]): RouteConfig['responses'] => {
  const byStatus = Map.groupBy([...slugs, ...ALWAYS], (slug) => PROBLEMS[slug].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group
          .map((slug) => `\`/problems/${slug}\`: ${PROBLEMS[slug].title}.`)
          .join(' '),
        content: {
          'application/problem+json': {
            schema: problem,
            example: {
              type: `/problems/${group[0]}`,
              title: PROBLEMS[group[0] as Slug].title,
              status,
              detail: 'The exact problem, and a way to fix it.',
            },
          },
        },
      },
    ]),
  );
};

const headers = {
  'RateLimit-Policy': {
    schema: { type: 'string' as const },
    description: 'The limits of the key: policies `minute` (sliding) and `month` (UTC).',
  },
  RateLimit: {
    schema: { type: 'string' as const },
    description: 'Calls left per policy (r), and seconds until it resets (t).',
  },
  Link: {
    schema: { type: 'string' as const },
    description: 'Of lists: addresses of the pages `first`, `prev`, `next` and `last`.',
  },
  'X-Request-Id': {
    schema: { type: 'string' as const },
    description: 'The id of the request, or a new one. It is also in the log.',
  },
  'X-Ignored-Parameters': {
    schema: { type: 'string' as const },
    description: 'Query parameters that were ignored because nobody knows them.',
  },
  ETag: { schema: { type: 'string' as const }, description: 'For If-None-Match.' },
  'Last-Modified': {
    schema: { type: 'string' as const },
    description: 'The newest observation in the response.',
  },
  Age: { schema: { type: 'integer' as const }, description: 'Seconds since Last-Modified.' },
};

/** Announced end of a route: days in UTC, such as `2027-01-31`. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string;
}

/** OpenAPI description of a GET. `extension`: an addition to the documented interface. */
export const describeGet = <
  P extends string,
  R extends NonNullable<RouteConfig['request']>,
>(route: {
  path: P;
  operationId: string;
  summary: string;
  description?: string;
  extension?: boolean;
  deprecation?: Deprecation;
  request: R;
  response: z.ZodType;
  problems: readonly Slug[];
}) =>
  createRoute({
    method: 'get',
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description: route.description ?? `${route.summary}.`,
    tags: [route.extension === true ? 'Extensions' : 'Interface'],
    ...(route.extension === true ? { 'x-extension': true } : {}),
    ...(route.deprecation === undefined
      ? {}
      : { deprecated: true, 'x-deprecation': route.deprecation }),
    request: route.request,
    responses: {
      200: {
        description: 'The response.',
        headers,
        content: {
          'application/json': {
            schema: route.response,
            example: EXAMPLE_RESPONSES[route.operationId],
          },
        } satisfies Json,
      },
      304: { description: 'Nothing changed since the response with that ETag.' },
      ...problemsOf(route.problems),
    },
  });
