import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';
import {
  choosing,
  dueAgain,
  noteAttempt,
  queueAgain,
  type WhichDeliveries,
} from '../events/delivery-queue.ts';
import { deliveryBody } from '../events/outbox.ts';
import { targetOrigin } from './chat.ts';
import type { DeliveryAttempt } from './post.ts';
import { judgeAttempt } from './retry.ts';
import { disableSubscription, findSubscription, noteHealth, type Owner } from './subscriptions.ts';

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly attempts: number;
  readonly body: string;
}

/** An endpoint that may be sent to. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly loopback: boolean;
  readonly failing: boolean;
  readonly keyId: string | null;
}

/** Endpoints for which something is due, those due longest first, at most `limit`. */
export const dueEndpoints = (lake: Lake, now: number, limit: number): Endpoint[] =>
  prepare(
    lake.sqlite,
    `select s.id, s.url, s.allow_loopback_http as loopback, s.failing_since is not null as failing,
           s.key_id as keyId
         from delivery_due q join subscriptions s on s.id = q.subscription_id
         where q.due_at <= ? and s.disabled_at is null order by q.due_at limit ?`,
    { id: 'text', url: 'text', loopback: 'number', failing: 'number', keyId: 'text?' },
  )
    .all(now, limit)
    .map((row) => ({ ...row, loopback: row.loopback === 1, failing: row.failing === 1 }));

/** The deliveries of one endpoint that are due, those due longest first. */
export const dueDeliveries = (
  lake: Lake,
  subscriptionId: string,
  now: number,
  limit: number,
): DueDelivery[] =>
  prepare(
    lake.sqlite,
    `select d.id, d.attempts, e.kind, e.occurred_at as occurredAt, e.data
         from deliveries d join events e on e.id = d.event_id
         where d.subscription_id = ? and d.state = 'pending' and d.next_attempt_at <= ?
         order by d.next_attempt_at limit ?`,
    { id: 'text', attempts: 'number', kind: 'text', occurredAt: 'number', data: 'text' },
  )
    .all(subscriptionId, now, limit)
    .map((row) => ({
      id: row.id,
      subscriptionId,
      attempts: row.attempts,
      body: deliveryBody(row),
    }));

/** An attempt and the delivery it was for. */
export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly attempt: DeliveryAttempt;
}

const recordOne = (
  lake: Lake,
  { delivery, attempt }: EndedAttempt,
  chance: number,
): string | null => {
  const { subscriptionId } = delivery;
  const endpoint = findSubscription(lake, subscriptionId, undefined);
  if (endpoint === undefined) return null; // removed while the attempt was under way
  const attempts = delivery.attempts + 1;
  const endedAt = attempt.at + attempt.durationMs;
  const { failingSince, disabledAt } = endpoint;
  const verdict = judgeAttempt(attempt, { attempts, endedAt, failingSince, chance });
  const state = disabledAt !== null && verdict.state === 'pending' ? 'failed' : verdict.state;
  noteAttempt(lake, delivery.id, {
    ...attempt,
    state,
    attempts,
    nextAttemptAt: state === 'pending' ? verdict.nextAttemptAt : null,
    deliveredAt: state === 'delivered' ? endedAt : null,
  });
  noteHealth(lake, subscriptionId, verdict);
  dueAgain(lake, subscriptionId);
  if (verdict.disable === null || disabledAt !== null) return null;
  disableSubscription(lake, subscriptionId, endedAt, verdict.disable);
  return `The webhook endpoint ${targetOrigin(endpoint.url)} (${subscriptionId}) was disabled: ${verdict.disable}. Its events are kept; \`${commandText(`webhooks enable ${subscriptionId}`)}\` lets it receive again.`;
};

/**
 * Stores the results of attempts in one transaction. An attempt whose result is lost with the
 * process is repeated: at least once, under the same id.
 * @returns sentences about endpoints that were disabled
 */
export const recordAttempts = (
  lake: Lake,
  ended: readonly EndedAttempt[],
  random: () => number,
): string[] => {
  // deliveries of one attempt are retried together
  const chances = new Map(ended.map(({ attempt }) => [attempt, random()]));
  return lake.sqlite
    .transaction(() =>
      ended.map((delivery) => recordOne(lake, delivery, chances.get(delivery.attempt) ?? 0)),
    )
    .immediate()
    .filter((sentence) => sentence !== null);
};

const RECORD = {
  id: 'text',
  eventId: 'text',
  subscriptionId: 'text',
  kind: 'text',
  subject: 'text',
  state: 'text',
  attempts: 'number',
  queuedAt: 'number',
  nextAttemptAt: 'number?',
  status: 'number?',
  error: 'text?',
  answer: 'text?',
  attemptedAt: 'number?',
  durationMs: 'number?',
  deliveredAt: 'number?',
} as const;

/** A delivery as people read it; instants in Unix ms. */
export type DeliveryRecord = RowOf<typeof RECORD>;

/** Filter of deliveries; missing fields do not restrict. */
export interface DeliveriesQuery {
  readonly subscriptionId?: string | undefined;
  readonly state?: string | undefined;
  /** Queued at or before this instant, Unix ms. */
  readonly until?: number;
  readonly limit: number;
  /** From 1. */
  readonly page?: number;
}

const MATCHING = `(@subscriptionId is null or d.subscription_id = @subscriptionId)
    and (@state is null or d.state = @state) and (@until is null or d.queued_at <= @until)`;

/** Deliveries, newest first, and how many match. */
export const deliveriesPage = (
  lake: Lake,
  { subscriptionId, state, until, limit, page = 1 }: DeliveriesQuery,
): { total: number; items: DeliveryRecord[] } => {
  const query = {
    subscriptionId: subscriptionId ?? null,
    state: state ?? null,
    until: until ?? null,
  };
  const counted = `select count(*) from deliveries d where ${MATCHING}`;
  const total = required(prepare(lake.sqlite, counted, 'number').get(query));
  const items = prepare(
    lake.sqlite,
    `select d.id, d.event_id as eventId, d.subscription_id as subscriptionId, e.kind, e.subject, d.state, d.attempts,
         d.queued_at as queuedAt, d.next_attempt_at as nextAttemptAt, d.last_status as status, d.last_error as error,
         d.last_answer as answer, d.last_attempt_at as attemptedAt, d.last_duration_ms as durationMs, d.delivered_at as deliveredAt
       from deliveries d join events e on e.id = d.event_id
       where ${MATCHING} order by d.queued_at desc, d.id limit @limit offset @offset`,
    RECORD,
  ).all({ ...query, limit, offset: Math.min(page - 1, total) * limit });
  return { total, items };
};

/** Number of deliveries of a subscription, up to `most`: the cost of a page. */
export const deliveriesAtMost = (lake: Lake, subscriptionId: string, most: number): number =>
  required(
    prepare(
      lake.sqlite,
      'select count(*) from (select 1 from deliveries where subscription_id = ? limit ?)',
      'number',
    ).get(subscriptionId, most),
  );

const OF_EVENT = {
  eventId: 'text',
  subscriptionId: 'text',
  url: 'text',
  state: 'text',
  attempts: 'number',
  deliveredAt: 'number?',
  nextAttemptAt: 'number?',
  error: 'text?',
} as const;

/**
 * An event on its way to one endpoint, as of an instant. Instants are Unix ms. `origin` is that of
 * its address: the rest may hold a secret.
 */
export type EventDelivery = Omit<RowOf<typeof OF_EVENT>, 'url'> & { readonly origin: string };

const OF_EVENTS = `
  select d.event_id as eventId, d.subscription_id as subscriptionId, s.url, d.state, d.attempts,
    d.delivered_at as deliveredAt, d.next_attempt_at as nextAttemptAt, d.last_error as error
  from deliveries d join subscriptions s on s.id = d.subscription_id
  where d.event_id in (select value from json_each(@ids)) and d.queued_at <= @asOf
    and (@owner is null or s.key_id = @owner)
  order by d.queued_at, d.id`;

/** Receivers of events by `asOf`, of the subscriptions of an owner, by event. */
export const deliveriesOf = (
  lake: Lake,
  eventIds: readonly string[],
  { owner, asOf }: { owner: Owner; asOf: number },
): Map<string, EventDelivery[]> => {
  const rows = prepare(lake.sqlite, OF_EVENTS, OF_EVENT).all({
    ids: JSON.stringify(eventIds),
    asOf,
    owner: owner ?? null,
  });
  const deliveries = rows.map(({ url, ...row }): EventDelivery => {
    const isLater = row.deliveredAt !== null && row.deliveredAt > asOf;
    return {
      ...row,
      origin: targetOrigin(url),
      ...(isLater ? { state: 'pending', deliveredAt: null } : {}),
    };
  });
  return Map.groupBy(deliveries, ({ eventId }) => eventId);
};

/**
 * Makes ended deliveries due again, under their old ids, with new attempts.
 * @returns their number
 * @throws UsageError for an unknown delivery or a disabled endpoint
 */
export const redeliver = (lake: Lake, which: WhichDeliveries, now: number): number => {
  const [condition, values] = choosing(which);
  const disabled = prepare(
    lake.sqlite,
    `select s.id from deliveries d join subscriptions s on s.id = d.subscription_id where ${condition} and s.disabled_at is not null limit 1`,
    'text',
  ).get(...values);
  if (disabled !== undefined)
    throw new UsageError(
      `The endpoint of subscription ${disabled} is disabled. \`${commandText(`webhooks enable ${disabled}`)}\` first.`,
    );
  const again = lake.sqlite.transaction(() => queueAgain(lake, which, now)).immediate();
  if (again === 0 && 'deliveryId' in which)
    throw new UsageError(
      `There is no delivery ${which.deliveryId}. \`${commandText('webhooks deliveries')}\` shows the ones there are.`,
    );
  return again;
};
