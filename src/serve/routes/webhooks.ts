import type { Context } from 'hono';
import { sendTest } from '../../alerts/webhooks/dispatcher.ts';
import type { HookSecret } from '../../alerts/webhooks/hook-proof.ts';
import type { Poster } from '../../alerts/webhooks/post.ts';
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
import type { Lake } from '../../lake/open.ts';
import { jsonBody, readBody } from '../http/body.ts';
import { invalidParameters, RefusedError } from '../http/problems.ts';
import {
  momentOf,
  respond,
  respondOnce,
  type ServiceApp,
  type ServiceContext,
  type ServiceEnv,
} from '../request/context.ts';
import { respondGet } from '../request/respond-get.ts';
import {
  addRoute,
  deliveriesRoute,
  listSubscriptionsRoute,
  oneRoute,
  removeRoute,
  rotateRoute,
  shownDelivery,
  shownSubscription,
  testRoute,
} from './webhook-shapes.ts';

export interface WebhookContext {
  readonly writer: Lake;
  readonly poster: Poster;
  /** Undefined: `/hooks/upstream` is off. */
  readonly hookSecret: HookSecret | undefined;
  /** Subscriptions allowed per key. */
  readonly mostOfAKey: number;
}

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

const NO_STORE = { 'cache-control': 'no-store' };

const required = (writer: Lake, c: Context<ServiceEnv>, id: string): Subscription => {
  const found = findSubscription(writer, id, c.get('standing').id);
  if (found === undefined)
    throw new RefusedError('not-found', `No subscription of your key has the id ${id}.`);
  return found;
};

/** The instant of a response on subscriptions in Unix ms, by the clock of limits, which is never fixed. */
const subscriptionInstant = ({ clock }: ServiceContext, asOf: number | undefined): number => {
  const now = clock.now();
  return asOf === undefined ? now : Math.min(asOf, now);
};

const readingRoutes = (
  app: ServiceApp,
  service: ServiceContext,
  { writer }: WebhookContext,
): void => {
  respondGet(app, service, listSubscriptionsRoute, (c) => {
    const { limit, page, asOf } = c.req.valid('query');
    const at = subscriptionInstant(service, asOf);
    const all = listSubscriptions(writer, c.get('standing').id).filter(
      ({ createdAt }) => createdAt <= at,
    );
    const items = all.slice((page - 1) * limit, page * limit).map(shownSubscription);
    const body = { total: all.length, page, items };
    return respond(service, c, { body, asOf: at, observedAt: null }, asOf);
  });

  respondGet(app, service, oneRoute, (c) => {
    const found = required(writer, c, c.req.valid('param').id);
    const { asOf } = c.req.valid('query');
    const at = subscriptionInstant(service, asOf);
    const body = shownSubscription(found);
    return respond(service, c, { body, asOf: at, observedAt: null }, asOf);
  });

  respondGet(app, service, deliveriesRoute, async (c) => {
    const { id } = required(writer, c, c.req.valid('param').id);
    const { limit, page, asOf } = c.req.valid('query');
    const at = subscriptionInstant(service, asOf);
    const { owner, gone } = momentOf(service, c, asOf);
    const { total, items } = await service.reads.read(
      'deliveries',
      { subscriptionId: id, until: at, limit, page },
      { owner, unwanted: gone() },
    );
    const body = { total, page, items: items.map(shownDelivery) };
    return respond(service, c, { body, asOf: at, observedAt: null }, asOf);
  });
};

const changingRoutes = (
  app: ServiceApp,
  service: ServiceContext,
  { writer, poster, mostOfAKey }: WebhookContext,
): void => {
  app.on('POST', '/webhooks', async (c) => {
    const body = await jsonBody(c);
    return respondOnce(service, c, body, () => {
      const owner = c.get('standing').id;
      const created = naming(() =>
        addSubscription(writer, readWish(body, false), {
          now: service.clock.now(),
          owner,
          most: mostOfAKey,
        }),
      );
      const response = {
        ...shownSubscription(required(writer, c, created.id)),
        secret: created.secret,
      };
      return c.json(response, 201, { ...NO_STORE, location: `/v1/webhooks/${created.id}` });
    });
  });
  app.openAPIRegistry.registerPath(addRoute);

  app.openapi(removeRoute, (c) => {
    const { id } = required(writer, c, c.req.valid('param').id);
    removeSubscription(writer, id, c.get('standing').id);
    return c.body(null, 204);
  });

  app.openapi(rotateRoute, (c) => {
    const { id } = required(writer, c, c.req.valid('param').id);
    return c.json({ id, ...rotateSecret(writer, id, service.clock.now()) }, 200, NO_STORE);
  });

  app.openapi(testRoute, async (c) => {
    const { id, url, allowLoopbackHttp: loopback } = required(writer, c, c.req.valid('param').id);
    const deps = { clock: service.clock, poster };
    const { status, error, durationMs } = await sendTest(writer, deps, { id, url, loopback });
    return c.json({ delivered: error === null, status, error, durationMs }, 200, NO_STORE);
  });
};

/** `/v1/webhooks`: a key sees and changes only its own subscriptions. */
export const webhookRoutes = (
  app: ServiceApp,
  service: ServiceContext,
  webhooks: WebhookContext,
): void => {
  readingRoutes(app, service, webhooks);
  changingRoutes(app, service, webhooks);
};

const SLUG_OF = {
  unsigned: 'missing-key',
  forged: 'unknown-key',
  unreadable: 'invalid-parameter',
} as const;

/** `POST /hooks/upstream`: webhooks of the upstream, authenticated by signature. */
export const hookRoute = (
  app: ServiceApp,
  service: ServiceContext,
  { writer, hookSecret }: WebhookContext,
): void => {
  app.post('/hooks/upstream', async (c) => {
    if (hookSecret === undefined)
      throw new RefusedError(
        'not-found',
        'Upstream webhooks are off. The operator can enable them with TRENDLAKE_HOOK_SECRET.',
      );
    const body = await readBody(c);
    const request = { headers: c.req.header(), body };
    const outcome = receiveHook(writer, request, { secret: hookSecret, now: service.clock.now() });
    if ('detail' in outcome) throw new RefusedError(SLUG_OF[outcome.kind], outcome.detail);
    c.env.exchange.isProven = true;
    return c.body(null, 204);
  });
};
