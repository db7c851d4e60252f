import { z } from '@hono/zod-openapi';
import { EVENT_KINDS, type EventKind } from '../../../schema/vocabulary.ts';
import { deliveredEvent } from '../../base/wire/shapes.ts';
import type { ServiceApp } from '../request/context.ts';
import { EXAMPLE_DELIVERY } from '../request/examples.ts';

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
export const describeSentEvents = (app: ServiceApp): void => {
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
