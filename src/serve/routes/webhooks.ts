import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import ipaddr from 'ipaddr.js';
import { EVENT_KINDS, PLATFORMS } from '../../../schema/vocabulary.ts';
import type { DeliveryRecord } from '../../alerts/webhooks/deliveries.ts';
import { sendTest } from '../../alerts/webhooks/dispatcher.ts';
import { receiveHook } from '../../alerts/webhooks/receive.ts';
import {
  readWish,
  SubscriptionError,
  TooManySubscriptionsError,
} from '../../alerts/webhooks/subscription-wish.ts';
import {
  addSubscription,
  findSubscription,
  listSubscriptions,
  removeSubscription,
  rotateSecret,
  type Subscription,
} from '../../alerts/webhooks/subscriptions.ts';
import { isoOf, isoOrNull } from '../../base/iso.ts';
import type { Lake } from '../../lake/open.ts';
import { jsonBody, readBody } from '../http/body.ts';
import { invalidParameters, RefusedError } from '../http/problems.ts';
import {
  limitInstant,
  pageContent,
  respondOnce,
  type ServiceApp,
  type ServiceContext,
  type ServiceEnv,
} from '../request/context.ts';
import { describeChange, getRoute, idParameter, pagedResponse } from '../request/describe.ts';
import { asOf, limit, page } from '../request/parameters.ts';
import { NO_STORE, respondChange } from '../request/respond-get.ts';

// Shapes of `/v1/webhooks`, and descriptions of its changes.

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

const shownSubscription = (stored: Subscription): z.infer<typeof subscription> => ({
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

const shownDelivery = (record: DeliveryRecord): Record<string, unknown> => ({
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

const addRoute = describeChange({
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
});

const removeRoute = describeChange({
  method: 'delete',
  path: '/webhooks/{id}',
  operationId: 'deleteWebhook',
  summary: 'Ends a subscription',
  scope: 'webhooks',
  ...withId,
  status: 204,
  result: 'Removed.',
});

const rotateRoute = describeChange({
  method: 'post',
  path: '/webhooks/{id}/rotate',
  operationId: 'rotateWebhook',
  summary: 'Rotates the secret. Both secrets sign for a day',
  scope: 'webhooks',
  ...withId,
  status: 200,
  result: 'The new secret.',
  response: z.object({ id: z.string(), secret: z.string() }),
});

const testRoute = describeChange({
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
});

const naming = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof TooManySubscriptionsError)
      throw new RefusedError('forbidden', error.message);
    if (error instanceof SubscriptionError)
      throw invalidParameters([{ parameter: error.parameter, detail: error.message }]);
    throw error;
  }
};

const required = (lake: Lake, owner: string, id: string): Subscription => {
  const found = findSubscription(lake, id, owner);
  if (found === undefined)
    throw new RefusedError('not-found', `No subscription of your key has the id ${id}.`);
  return found;
};

const id = idParameter(EXAMPLE_ID);

export const subscriptionsRoute = getRoute({
  path: '/webhooks',
  operationId: 'getWebhooks',
  summary: 'Subscriptions of your key',
  extension: true,
  query: { limit, page, asOf },
  response: pagedResponse(subscription),
  read: (service: ServiceContext, { asOf, ...paging }, { owner }) => {
    const at = limitInstant(service, asOf);
    return pageContent(listSubscriptions(service.lake, owner), shownSubscription, at, paging);
  },
});

export const subscriptionRoute = getRoute({
  path: '/webhooks/{id}',
  operationId: 'getWebhook',
  summary: 'One subscription and its state',
  extension: true,
  params: { id },
  query: { asOf },
  response: subscription.extend({ asOf: z.iso.datetime() }),
  read: (service: ServiceContext, { id, asOf }, { owner }) => ({
    body: shownSubscription(required(service.lake, owner, id)),
    asOf: limitInstant(service, asOf),
    observedAt: null,
  }),
});

export const deliveriesRoute = getRoute({
  path: '/webhooks/{id}/deliveries',
  operationId: 'getDeliveries',
  summary: 'Deliveries of one subscription, newest first',
  extension: true,
  params: { id },
  query: { limit, page, asOf },
  response: pagedResponse(delivery),
  read: async (service: ServiceContext, { id, limit, page, asOf }, { owner, gone }) => {
    const at = limitInstant(service, asOf);
    const { id: subscriptionId } = required(service.lake, owner, id);
    const wanted = { subscriptionId, until: at, limit, page };
    const { total, items } = await service.reads.read('deliveries', wanted, {
      owner,
      unwanted: gone(),
    });
    const body = { total, page, items: items.map(shownDelivery) };
    return { body, asOf: at, observedAt: null };
  },
});

/** Changes under `/v1/webhooks`: a key sees and changes only its own subscriptions. */
export const webhookChanges = (app: ServiceApp, service: ServiceContext): void => {
  const { writer, clock, mostOfAKey } = service;
  const ownOf = (c: Context<ServiceEnv>): Subscription =>
    required(writer, c.get('standing').id, c.req.param('id') ?? '');

  respondChange(app, addRoute, async (c) => {
    const body = await jsonBody(c);
    return respondOnce(service, c, body, () => {
      const owner = c.get('standing').id;
      const created = naming(() =>
        addSubscription(writer, readWish(body, false), {
          now: clock.now(),
          owner,
          most: mostOfAKey,
        }),
      );
      const response = {
        ...shownSubscription(required(writer, owner, created.id)),
        secret: created.secret,
      };
      return c.json(response, 201, { ...NO_STORE, location: `/v1/webhooks/${created.id}` });
    });
  });

  respondChange(app, removeRoute, (c) => {
    removeSubscription(writer, ownOf(c).id, c.get('standing').id);
    return c.body(null, 204);
  });

  respondChange(app, rotateRoute, (c) => {
    const { id } = ownOf(c);
    return c.json({ id, ...rotateSecret(writer, id, clock.now()) }, 200, NO_STORE);
  });

  respondChange(app, testRoute, async (c) => {
    const { id, url, allowLoopbackHttp: loopback } = ownOf(c);
    const { status, error, durationMs } = await sendTest(writer, service, { id, url, loopback });
    return c.json({ delivered: error === null, status, error, durationMs }, 200, NO_STORE);
  });
};

const SLUG_OF = {
  unsigned: 'missing-key',
  forged: 'unknown-key',
  unreadable: 'invalid-parameter',
} as const;

/** `POST /hooks/upstream`: webhooks of the upstream, authenticated by signature. */
export const hookRoute = (app: ServiceApp, { writer, clock, hookSecret }: ServiceContext): void => {
  app.post('/hooks/upstream', async (c) => {
    if (hookSecret === undefined)
      throw new RefusedError(
        'not-found',
        'Upstream webhooks are off. The operator can enable them with TRENDLAKE_HOOK_SECRET.',
      );
    const body = await readBody(c);
    const request = { headers: c.req.header(), body };
    const outcome = receiveHook(writer, request, { secret: hookSecret, now: clock.now() });
    if ('detail' in outcome) throw new RefusedError(SLUG_OF[outcome.kind], outcome.detail);
    c.env.exchange.isProven = true;
    return c.body(null, 204);
  });
};
