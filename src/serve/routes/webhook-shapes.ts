import { createRoute, z } from '@hono/zod-openapi';
import ipaddr from 'ipaddr.js';
import { EVENT_KINDS, PLATFORMS } from '../../../schema/vocabulary.ts';
import type { DeliveryRecord } from '../../alerts/webhooks/deliveries.ts';
import type { Subscription } from '../../alerts/webhooks/subscriptions.ts';
import { isoOf } from '../../base/iso.ts';
import { describeGet, problemsOf } from '../request/describe.ts';
import { EXAMPLE_BODIES, EXAMPLE_RESPONSES } from '../request/examples.ts';
import { asOf, limit, page } from '../request/parameters.ts';

// Shapes and OpenAPI descriptions of `/v1/webhooks`.

const EXAMPLE_ID = 'sub_5f1c0a9be27d4c3f8a6b1e20';

const subscription = z
  .object({
    id: z.string().meta({ example: EXAMPLE_ID }),
    url: z.url(),
    events: z.array(z.enum(EVENT_KINDS)).meta({ description: 'Empty: every kind.' }),
    platforms: z.array(z.enum(PLATFORMS)).meta({ description: 'Empty: every platform.' }),
    subjects: z.array(z.string()).meta({ description: 'Handles, tags, ids. Empty: all.' }),
    tags: z.array(z.string()).meta({ description: 'Tags of watches. Empty: all.' }),
    createdAt: z.iso.datetime(),
    state: z.enum(['enabled', 'failing', 'disabled']),
    reason: z.string().nullable().meta({ description: 'Why it was disabled.' }),
  })
  .meta({ id: 'Subscription' });

const ADDRESS_LIKE = /(?<![\w.:])[\da-f.:]*[.:][\da-f.:]*[\da-f]/gi;

/** Removes IP addresses, which old errors may contain. They would show what a host name resolves to. */
const withoutAddresses = (text: string): string =>
  text.replace(ADDRESS_LIKE, (found) =>
    ipaddr.isValid(found) || ipaddr.isValid(found.replace(/:\d+$/, '')) ? '[address]' : found,
  );

export const shownSubscription = (stored: Subscription): z.infer<typeof subscription> => ({
  id: stored.id,
  url: stored.url,
  events: [...stored.filter.events],
  platforms: [...stored.filter.platforms],
  subjects: [...stored.filter.subjects],
  tags: [...(stored.filter.tags ?? [])],
  createdAt: isoOf(stored.createdAt),
  state:
    stored.disabledAt !== null ? 'disabled' : stored.failingSince !== null ? 'failing' : 'enabled',
  reason: stored.disabledReason === null ? null : withoutAddresses(stored.disabledReason),
});

const idPath = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, maxLength: 64, example: EXAMPLE_ID });
const withId = { params: z.object({ id: idPath }) };

export const listSubscriptionsRoute = describeGet({
  path: '/webhooks',
  operationId: 'getWebhooks',
  summary: 'Subscriptions of your key',
  extension: true,
  request: { query: z.object({ limit, page, asOf }) },
  response: z.object({
    total: z.int(),
    page: z.int(),
    items: z.array(subscription),
    asOf: z.iso.datetime(),
  }),
  problems: ['invalid-parameter'],
});

const delivery = z
  .object({
    id: z.string().meta({ description: 'The webhook-id of every attempt.' }),
    event: z.string(),
    kind: z.enum(EVENT_KINDS),
    subject: z.string(),
    state: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.int(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    attemptedAt: z.iso.datetime().nullable(),
    nextAttemptAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' });

const time = (at: number | null): string | null => (at === null ? null : isoOf(at));

export const shownDelivery = (record: DeliveryRecord): Record<string, unknown> => ({
  id: record.id,
  event: record.eventId,
  kind: record.kind,
  subject: record.subject,
  state: record.state,
  attempts: record.attempts,
  status: record.status,
  error: record.error === null ? null : withoutAddresses(record.error),
  attemptedAt: time(record.attemptedAt),
  nextAttemptAt: time(record.nextAttemptAt),
});

export const deliveriesRoute = describeGet({
  path: '/webhooks/{id}/deliveries',
  operationId: 'getDeliveries',
  summary: 'Deliveries of one subscription, newest first',
  extension: true,
  request: { ...withId, query: z.object({ limit, page, asOf }) },
  response: z.object({
    total: z.int(),
    page: z.int(),
    items: z.array(delivery),
    asOf: z.iso.datetime(),
  }),
  problems: ['invalid-parameter', 'not-found'],
});

const described = (operationId: string, summary: string) => ({
  operationId,
  summary,
  description: `${summary}. Scope \`webhooks\`.`,
  tags: ['Extensions'],
  'x-extension': true,
});
const json = (schema: z.ZodType, description: string, example: object | undefined) => ({
  description,
  content: { 'application/json': { schema, example } },
});

export const addRoute = createRoute({
  method: 'post',
  path: '/webhooks',
  ...described('createWebhook', 'Subscribes an https address to events'),
  request: {
    body: {
      required: true,
      ...json(
        z.object({
          url: z.url(),
          events: z.array(z.enum(EVENT_KINDS)).optional(),
          platforms: z.array(z.enum(PLATFORMS)).optional(),
          subjects: z.array(z.string()).optional(),
          tags: z.array(z.string()).optional(),
          secret: z
            .string()
            .optional()
            .meta({ description: 'whsec_ and 24 to 64 bytes in base64.' }),
        }),
        'The address, and a filter of events.',
        EXAMPLE_BODIES.createWebhook,
      ),
    },
  },
  responses: {
    201: json(
      subscription.extend({ secret: z.string() }),
      'The subscription. The secret is shown only once.',
      EXAMPLE_RESPONSES.createWebhook,
    ),
    ...problemsOf([
      'invalid-parameter',
      'forbidden',
      'payload-too-large',
      'unsupported-media-type',
    ]),
  },
});

export const oneRoute = describeGet({
  path: '/webhooks/{id}',
  operationId: 'getWebhook',
  summary: 'One subscription and its state',
  extension: true,
  request: { ...withId, query: z.object({ asOf }) },
  response: subscription.extend({ asOf: z.iso.datetime() }),
  problems: ['invalid-parameter', 'not-found'],
});

export const removeRoute = createRoute({
  method: 'delete',
  path: '/webhooks/{id}',
  ...described('deleteWebhook', 'Ends a subscription'),
  request: withId,
  responses: {
    204: { description: 'Removed.' },
    ...problemsOf(['not-found', 'payload-too-large']),
  },
});

export const rotateRoute = createRoute({
  method: 'post',
  path: '/webhooks/{id}/rotate',
  ...described('rotateWebhook', 'Rotates the secret. Both secrets sign for a day'),
  request: withId,
  responses: {
    200: json(
      z.object({ id: z.string(), secret: z.string() }),
      'The new secret.',
      EXAMPLE_RESPONSES.rotateWebhook,
    ),
    ...problemsOf(['not-found', 'payload-too-large']),
  },
});

export const testRoute = createRoute({
  method: 'post',
  path: '/webhooks/{id}/test',
  ...described('testWebhook', 'Sends a test event now and returns the response'),
  request: withId,
  responses: {
    200: json(
      z.object({
        delivered: z.boolean(),
        status: z.int().nullable(),
        error: z.string().nullable(),
        durationMs: z.int(),
      }),
      'The result of the test.',
      EXAMPLE_RESPONSES.testWebhook,
    ),
    ...problemsOf(['not-found', 'payload-too-large']),
  },
});
