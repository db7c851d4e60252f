import { z } from '@hono/zod-openapi';
import { EVENT_KINDS, type EventKind } from '../../../schema/vocabulary.ts';
import { deliveredEvent } from '../../base/wire/shapes.ts';
import type { ServiceApp } from '../request/context.ts';
import { EXAMPLE_DELIVERY } from '../request/examples.ts';

const SUMMARIES: Readonly<Record<EventKind, string>> = {
  'trend.spike': 'A video gains views much faster than its own pace and age lead one to expect',
  'creator.viral': "A video far outruns its creator's own median, or a creator enters a top first",
  'hashtag.rising': "A hashtag's volume rises against its own past weeks",
  'niche.breakout': 'A cluster of tags that occur together grows its share of a list',
};

const signature = z.object({
  'webhook-id': z.string().meta({
    description: '`<event id>.<subscription id>`, the same in every attempt: take each once.',
  }),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds of this attempt.' }),
  'webhook-signature': z.string().meta({
    description: '`v1,<base64>`: HMAC-SHA256 of `<id>.<timestamp>.<body>`, by Standard Webhooks.',
  }),
});

/** Describes the events that subscriptions are sent, as OpenAPI's `webhooks`. */
export const describeSentEvents = (app: ServiceApp): void => {
  for (const kind of EVENT_KINDS)
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: kind,
      operationId: `receive-${kind}`,
      summary: SUMMARIES[kind],
      description: `${SUMMARIES[kind]}. Sent to the address of each subscription that wants it, again until it is received.`,
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
        '2XX': { description: 'Received. Anything else is tried again.' },
        410: { description: 'Never again: the subscription is disabled.' },
      },
    });
};
