import { z } from '@hono/zod-openapi';
import ipaddr from 'ipaddr.js';
import { EVENT_KINDS, PLATFORMS } from '../../../schema/vocabulary.ts';
import type { DeliveryRecord } from '../../alerts/webhooks/deliveries.ts';
import type { Subscription } from '../../alerts/webhooks/subscriptions.ts';
import { isoOf, isoOrNull } from '../../base/iso.ts';
import { describeChange, idParameter } from '../request/describe.ts';

// Shapes of `/v1/webhooks`, and descriptions of its changes.

export const EXAMPLE_ID = 'sub_5f1c0a9be27d4c3f8a6b1e20';

export const subscription = z
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

export const delivery = z
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

export const shownDelivery = (record: DeliveryRecord): Record<string, unknown> => ({
  id: record.id,
  event: record.eventId,
  kind: record.kind,
  subject: record.subject,
  state: record.state,
  attempts: record.attempts,
  status: record.status,
  error: record.error === null ? null : withoutAddresses(record.error),
  attemptedAt: isoOrNull(record.attemptedAt),
  nextAttemptAt: isoOrNull(record.nextAttemptAt),
});

const withId = { params: z.object({ id: idParameter(EXAMPLE_ID) }) };

export const addRoute = describeChange({
  method: 'post',
  path: '/webhooks',
  operationId: 'createWebhook',
  summary: 'Subscribes an https address to events',
  scope: 'webhooks',
  body: {
    schema: z.object({
      url: z.url(),
      events: z.array(z.enum(EVENT_KINDS)).optional(),
      platforms: z.array(z.enum(PLATFORMS)).optional(),
      subjects: z.array(z.string()).optional(),
      tags: z.array(z.string()).optional(),
      secret: z.string().optional().meta({ description: 'whsec_ and 24 to 64 bytes in base64.' }),
    }),
    description: 'The address, and a filter of events.',
  },
  status: 201,
  result: 'The subscription. The secret is shown only once.',
  response: subscription.extend({ secret: z.string() }),
  problems: ['invalid-parameter'],
});

export const removeRoute = describeChange({
  method: 'delete',
  path: '/webhooks/{id}',
  operationId: 'deleteWebhook',
  summary: 'Ends a subscription',
  scope: 'webhooks',
  ...withId,
  status: 204,
  result: 'Removed.',
  problems: ['not-found'],
});

export const rotateRoute = describeChange({
  method: 'post',
  path: '/webhooks/{id}/rotate',
  operationId: 'rotateWebhook',
  summary: 'Rotates the secret. Both secrets sign for a day',
  scope: 'webhooks',
  ...withId,
  status: 200,
  result: 'The new secret.',
  response: z.object({ id: z.string(), secret: z.string() }),
  problems: ['not-found'],
});

export const testRoute = describeChange({
  method: 'post',
  path: '/webhooks/{id}/test',
  operationId: 'testWebhook',
  summary: 'Sends a test event now and returns the response',
  scope: 'webhooks',
  ...withId,
  status: 200,
  result: 'The result of the test.',
  response: z.object({
    delivered: z.boolean(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    durationMs: z.int(),
  }),
  problems: ['not-found'],
});
