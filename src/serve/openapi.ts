import { z } from '@hono/zod-openapi';
import { EVENT_KINDS, type EventKind } from '../../schema/vocabulary.ts';
import { deliveredEvent } from '../base/wire/shapes.ts';
import type { ServiceApp } from './request/context.ts';
import { problemsOf } from './request/describe.ts';
import { EXAMPLE_DELIVERY, EXAMPLE_RESPONSES } from './request/examples.ts';
import { fixedText } from './request/fixed-text.ts';

const SUMMARIES: Readonly<Record<EventKind, string>> = {
  'trend.spike': 'A video gains views much faster than expected from its age and past growth',
  'creator.viral':
    "A video far exceeds its creator's median, or a creator enters a top list for the first time",
  'hashtag.rising': "A hashtag's volume rises compared with past weeks",
  'niche.breakout': 'A cluster of related tags increases its share of a list',
};

const signature = z.object({
  'webhook-id': z.string().meta({
    description:
      '`<event id>.<subscription id>`, the same in every attempt. Use it to skip duplicates.',
  }),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds of this attempt.' }),
  'webhook-signature': z.string().meta({
    description: '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`, by Standard Webhooks.',
  }),
});

/** Describes delivered events as OpenAPI `webhooks`. */
const describeSentEvents = (app: ServiceApp): void => {
  for (const kind of EVENT_KINDS)
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: kind,
      operationId: `receive-${kind}`,
      summary: SUMMARIES[kind],
      description: `${SUMMARIES[kind]}. Sent to each matching subscription, and retried until it is received.`,
      tags: ['Extensions'],
      security: [],
      request: {
        headers: signature,
        body: {
          required: true,
          content: {
            'application/json': {
              schema: deliveredEvent,
              example: { ...EXAMPLE_DELIVERY, type: kind },
            },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. Other responses are retried.' },
        410: { description: 'Disables the subscription.' },
      },
    });
};

const DESCRIPTION = `Ranked viral content, growth, creators, hashtags and search, with history.

Send \`Authorization: Bearer <key>\` with every request. The header \`RateLimit\` of every response has your limits.
Every GET accepts \`asOf\`, and every response states its instant. A misspelt query parameter gets 400.
Other unknown ones are ignored and named in the header \`X-Ignored-Parameters\`.
Additions to the documented interface are tagged Extensions and have \`x-extension\`.`;

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
      { name: 'Extensions', description: 'Additions of this service.' },
    ],
  });

/**
 * Adds `GET /openapi.json`, which needs no key, and returns its text. The document is written on first
 * use, when all routes are registered.
 */
export const openApiRoute = (app: ServiceApp): (() => string) => {
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'API key from the operator. Starts with `tl_live_`.',
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
