import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { problem } from '../../base/wire/shapes.ts';
import type { Scope } from '../../lake/keys/keys.ts';
import { PROBLEMS, type Slug } from '../http/problems.ts';
import type { ResponseContent } from '../http/written-response.ts';
import type { RequestMoment } from './context.ts';
import { EXAMPLE_BODIES, EXAMPLE_RESPONSES } from './examples.ts';
import type { asOf } from './parameters.ts';

const json = (schema: z.ZodType, example: unknown) => ({
  content: { 'application/json': { schema, example } },
});

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

const HEADERS = {
  'RateLimit-Policy': 'The limits of the key: policies `minute` (sliding) and `month` (UTC).',
  RateLimit: 'Calls left per policy (r), and seconds until it resets (t).',
  Link: 'Of lists: addresses of the pages `first`, `prev`, `next` and `last`.',
  'X-Request-Id': 'The id of the request, or a new one. It is also in the log.',
  'X-Ignored-Parameters': 'Unknown query parameters, which were ignored.',
  ETag: 'For If-None-Match.',
  'Last-Modified': 'The newest observation in the response.',
  Age: 'Seconds since Last-Modified.',
};

const headers = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => {
    const type: 'integer' | 'string' = name === 'Age' ? 'integer' : 'string';
    return [name, { schema: { type }, description }];
  }),
);

/** Announced end of a route: days in UTC, such as `2027-01-31`. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string;
}

const NOT_FOUND = ['not-found'] as const;
const OF_BODY = ['invalid-parameter', 'unsupported-media-type'] as const;
const EXTENSION = { tags: ['Extensions'], 'x-extension': true };

type Shape = z.ZodRawShape;
type QueryShape = Shape & { readonly asOf: typeof asOf };
type InputOf<P extends Shape, Q extends Shape> = z.infer<z.ZodObject<P>> & z.infer<z.ZodObject<Q>>;
/** A method, so that routes with different parameters can be listed together. */
type Read<S, P extends Shape, Q extends Shape> = {
  /** @param c request; undefined for tools of assistants */
  read(
    service: S,
    input: InputOf<P, Q>,
    moment: RequestMoment,
    c: unknown,
  ): ResponseContent | Promise<ResponseContent>;
}['read'];

/** A GET with its description. `S`: what its read needs. */
export interface GetRoute<S, P extends Shape = Shape, Q extends QueryShape = QueryShape> {
  readonly config: RouteConfig & { getRoutingPath(): string };
  readonly params: z.ZodObject<P>;
  readonly query: z.ZodObject<Q>;
  readonly response: z.ZodObject;
  readonly deprecation: Deprecation | undefined;
  readonly read: Read<S, P, Q>;
}

/** Defines a GET. `extension`: an addition to the documented interface. */
export const getRoute = <
  S,
  Q extends QueryShape,
  P extends Shape = Record<never, z.ZodType>,
>(route: {
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  extension?: boolean;
  deprecation?: Deprecation;
  params?: P;
  query: Q;
  response: z.ZodObject;
  read: Read<S, P, Q>;
}): GetRoute<S, P, Q> => {
  const { path, operationId, summary, extension, deprecation, response, read } = route;
  const params = z.object(route.params ?? ({} as P));
  const query = z.object(route.query);
  const config = createRoute({
    method: 'get',
    path,
    operationId,
    summary,
    description: route.description ?? `${summary}.`,
    ...(extension === true ? EXTENSION : { tags: ['Interface'] }),
    ...(deprecation === undefined ? {} : { deprecated: true, 'x-deprecation': deprecation }),
    request: { params, query },
    responses: {
      200: {
        description: 'The response.',
        headers,
        ...json(response, EXAMPLE_RESPONSES[operationId]),
      },
      304: { description: 'Nothing changed since the response with that ETag.' },
      ...problemsOf(['invalid-parameter', ...(route.params === undefined ? [] : NOT_FOUND)]),
    },
  });
  return { config, params, query, response, deprecation, read };
};

/** OpenAPI description of a POST or DELETE, which needs a key with the scope. */
export const describeChange = (route: {
  method: 'post' | 'delete';
  path: string;
  operationId: string;
  summary: string;
  scope: Exclude<Scope, 'read'>;
  params?: z.ZodObject;
  body?: { readonly schema: z.ZodType; readonly description?: string };
  status: 200 | 201 | 204;
  /** Description of the response. */
  result: string;
  response?: z.ZodType;
}) => {
  const { method, path, operationId, summary, scope, params, body, response } = route;
  const isInterface = scope === 'lab'; // its body names a video
  return createRoute({
    method,
    path,
    operationId,
    summary,
    ...(isInterface
      ? { description: `Needs a key with the scope \`${scope}\`.`, tags: ['Interface'] }
      : { description: `${summary}. Scope \`${scope}\`.`, ...EXTENSION }),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(body === undefined
        ? {}
        : {
            body: {
              required: true,
              ...(body.description === undefined ? {} : { description: body.description }),
              ...json(body.schema, EXAMPLE_BODIES[operationId]),
            },
          }),
    },
    responses: {
      [route.status]: {
        description: route.result,
        ...(response === undefined ? {} : json(response, EXAMPLE_RESPONSES[operationId])),
      },
      ...problemsOf([
        'payload-too-large',
        ...(body === undefined ? [] : OF_BODY),
        ...(params !== undefined || isInterface ? NOT_FOUND : []),
      ]),
    },
  });
};

/** Response with a page of a list. */
export const pagedResponse = (item: z.ZodObject) =>
  z.object({ total: z.int(), page: z.int(), items: z.array(item), asOf: z.iso.datetime() });

/** Path parameter `id` of a watch or subscription. */
export const idParameter = (example: string) =>
  z.string().openapi({ param: { name: 'id', in: 'path' }, maxLength: 64, example });
