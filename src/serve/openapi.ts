import type { ServiceApp } from './request/context.ts';
import { problemsOf } from './request/describe.ts';
import { EXAMPLE_RESPONSES } from './request/examples.ts';
import { fixedText } from './request/fixed-text.ts';
import { describeSentEvents } from './routes/sent-events.ts';

const DESCRIPTION = `Ranked viral content, growth, creators, hashtags and search over a lake that remembers.

Every request carries \`Authorization: Bearer <key>\`. Limits are told in \`RateLimit\` on every response.
Every GET takes \`asOf\`, and every response carries the instant it is true at. Unknown query parameters
are ignored. What goes beyond the documented interface is tagged Extensions and carries \`x-extension\`.`;

const documentOf = (app: ServiceApp) =>
  app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'trendlake',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/v1' }],
    security: [{ key: [] }],
    tags: [
      { name: 'Interface', description: 'The documented interface.' },
      { name: 'Extensions', description: 'What this service offers beyond it.' },
    ],
  });

/**
 * Adds `GET /openapi.json` to the routes on `app` and returns its text, written when first asked for:
 * the OpenAPI 3.1 document of all of them. Also answered without a key: it says how to use one.
 */
export const openApiRoute = (app: ServiceApp): (() => string) => {
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'A key made by the operator; starts with `tl_live_`.',
  });
  describeSentEvents(app);
  app.openAPIRegistry.registerPath({
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    tags: ['Extensions'],
    'x-extension': true,
    security: [{}, { key: [] }],
    responses: {
      200: {
        description: 'OpenAPI 3.1.',
        content: {
          'application/json': {
            schema: { type: 'object' },
            example: EXAMPLE_RESPONSES.getOpenApi,
          },
        },
      },
      ...problemsOf([]),
    },
  });
  let text: string | undefined;
  const document = (): string => {
    text ??= JSON.stringify(documentOf(app), null, 2);
    return text;
  };
  app.get('/openapi.json', fixedText('application/json', document));
  return document;
};
