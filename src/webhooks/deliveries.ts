import { UsageError } from '../errors.ts';
import { deliveryBody } from '../events/outbox.ts';
import type { Lake } from '../lake/open.ts';
import type { Attempt } from './post.ts';
import { judgeAttempt } from './retry.ts';

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
}

/** Endpoints that take deliveries at an instant. */
export const openEndpoints = (lake: Lake, now: number): Endpoint[] =>
  (
    lake.sqlite
      .prepare(
        `select id, url, allow_loopback_http as loopback, failing_since is not null as failing from subscriptions
         where disabled_at is null and coalesce(paused_until, 0) <= ?`,
      )
      .all(now) as { id: string; url: string; loopback: number; failing: number }[]
  ).map((row) => ({ ...row, loopback: row.loopback === 1, failing: row.failing === 1 }));

/** The deliveries of one endpoint that are due, those due longest first. */
export const dueDeliveries = (
  lake: Lake,
  subscriptionId: string,
  now: number,
  limit: number,
): DueDelivery[] =>
  (
    lake.sqlite
      .prepare(
        `select d.id, d.attempts, e.kind, e.occurred_at as occurredAt, e.data
         from deliveries d join events e on e.id = d.event_id
         where d.subscription_id = ? and d.state = 'pending' and d.next_attempt_at <= ?
         order by d.next_attempt_at limit ?`,
      )
      .all(subscriptionId, now, limit) as {
      id: string;
      attempts: number;
      kind: string;
      occurredAt: number;
      data: string;
    }[]
  ).map((row) => ({
    id: row.id,
    subscriptionId,
    attempts: row.attempts,
    body: deliveryBody(row),
  }));

/** An attempt and the delivery it was for. */
export interface EndedAttempt {
  readonly delivery: DueDelivery;
  readonly attempt: Attempt;
}

const disable = (lake: Lake, subscriptionId: string, at: number, reason: string): void => {
  lake.sqlite
    .prepare('update subscriptions set disabled_at = ?, disabled_reason = ? where id = ?')
    .run(at, reason, subscriptionId);
  lake.sqlite
    .prepare(
      `update deliveries set state = 'failed', next_attempt_at = null, last_error = ?
       where subscription_id = ? and state = 'pending'`,
    )
    .run(`not sent: the endpoint was disabled (${reason})`, subscriptionId);
};

const recordOne = (
  lake: Lake,
  { delivery, attempt }: EndedAttempt,
  chance: number,
): string | null => {
  const { sqlite } = lake;
  const endpoint = sqlite
    .prepare(
      'select url, failing_since as failingSince, disabled_at as disabledAt from subscriptions where id = ?',
    )
    .get(delivery.subscriptionId) as
    | { url: string; failingSince: number | null; disabledAt: number | null }
    | undefined;
  if (endpoint === undefined) return null; // removed while the attempt was under way
  const attempts = delivery.attempts + 1;
  const endedAt = attempt.at + attempt.durationMs;
  const { failingSince } = endpoint;
  const verdict = judgeAttempt(attempt, { attempts, endedAt, failingSince, chance });
  const state =
    endpoint.disabledAt !== null && verdict.state === 'pending' ? 'failed' : verdict.state;
  sqlite
    .prepare(
      `update deliveries set state = ?, attempts = ?, next_attempt_at = ?, last_status = ?, last_error = ?,
         last_answer = ?, last_attempt_at = ?, last_duration_ms = ?, delivered_at = ? where id = ?`,
    )
    .run(
      state,
      attempts,
      state === 'pending' ? verdict.nextAttemptAt : null,
      attempt.status,
      attempt.error,
      attempt.answer,
      attempt.at,
      attempt.durationMs,
      state === 'delivered' ? endedAt : null,
      delivery.id,
    );
  sqlite
    .prepare(
      `update subscriptions set failing_since = @since, paused_until = coalesce(@until, paused_until)
       where id = @id and (failing_since is not @since or @until is not null)`,
    )
    .run({ id: delivery.subscriptionId, since: verdict.failingSince, until: verdict.pausedUntil });
  if (verdict.disable === null || endpoint.disabledAt !== null) return null;
  disable(lake, delivery.subscriptionId, endedAt, verdict.disable);
  return `The webhook endpoint ${new URL(endpoint.url).origin} (${delivery.subscriptionId}) was disabled: ${verdict.disable}. Its events are kept; \`trendlake webhooks enable ${delivery.subscriptionId}\` lets it receive again.`;
};

/**
 * Writes what came of attempts, in one transaction. An attempt whose record is lost with the
 * process is made again: at least once, under the same id.
 * @returns sentences about endpoints that were disabled
 */
export const recordAttempts = (
  lake: Lake,
  ended: readonly EndedAttempt[],
  random: () => number,
): string[] =>
  lake.sqlite
    .transaction(() => ended.map((one) => recordOne(lake, one, random())))
    .immediate()
    .filter((sentence) => sentence !== null);

/** A delivery as people read it; instants in Unix ms. */
export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly attempts: number;
  readonly queuedAt: number;
  readonly nextAttemptAt: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly attemptedAt: number | null;
  readonly durationMs: number | null;
  readonly deliveredAt: number | null;
}

/** Which deliveries are meant; what is left out does not restrict. */
export interface DeliveriesAsk {
  readonly subscriptionId?: string | undefined;
  readonly state?: string | undefined;
  /** Queued at or before this instant, Unix ms. */
  readonly until?: number;
  readonly limit: number;
  /** From 1. */
  readonly page?: number;
}

const MATCHING = `from deliveries d join events e on e.id = d.event_id
  where (@subscriptionId is null or d.subscription_id = @subscriptionId)
    and (@state is null or d.state = @state) and (@until is null or d.queued_at <= @until)`;

/** Deliveries, newest first, and how many match. */
export const deliveriesPage = (
  lake: Lake,
  { subscriptionId, state, until, limit, page = 1 }: DeliveriesAsk,
): { total: number; items: DeliveryRecord[] } => {
  const asked = {
    subscriptionId: subscriptionId ?? null,
    state: state ?? null,
    until: until ?? null,
  };
  const total = lake.sqlite.prepare(`select count(*) ${MATCHING}`).pluck().get(asked) as number;
  const items = lake.sqlite
    .prepare(
      `select d.id, d.event_id as eventId, d.subscription_id as subscriptionId, e.kind, e.subject, d.state, d.attempts,
         d.queued_at as queuedAt, d.next_attempt_at as nextAttemptAt, d.last_status as status, d.last_error as error,
         d.last_answer as answer, d.last_attempt_at as attemptedAt, d.last_duration_ms as durationMs, d.delivered_at as deliveredAt
       ${MATCHING} order by d.queued_at desc, d.id limit @limit offset @offset`,
    )
    .all({ ...asked, limit, offset: Math.min(page - 1, total) * limit }) as DeliveryRecord[];
  return { total, items };
};

/** What to send again: one delivery, or those of a subscription queued inside a span. */
export type RedeliverAsk =
  | { readonly deliveryId: string }
  | { readonly subscriptionId: string; readonly from: number; readonly to: number };

/**
 * Makes settled deliveries due again, under their old ids, with a fresh row of attempts.
 * @returns how many
 * @throws UsageError when there is no such delivery, or its endpoint is disabled
 */
export const redeliver = (lake: Lake, ask: RedeliverAsk, now: number): number => {
  const [condition, values] =
    'deliveryId' in ask
      ? ['d.id = ?', [ask.deliveryId]]
      : [
          'd.subscription_id = ? and d.queued_at between ? and ?',
          [ask.subscriptionId, ask.from, ask.to],
        ];
  const disabled = lake.sqlite
    .prepare(
      `select s.id from deliveries d join subscriptions s on s.id = d.subscription_id where ${condition} and s.disabled_at is not null limit 1`,
    )
    .pluck()
    .get(...values);
  if (disabled !== undefined)
    throw new UsageError(
      `The endpoint of subscription ${disabled} is disabled. \`trendlake webhooks enable ${disabled}\` first.`,
    );
  const { changes } = lake.sqlite
    .prepare(
      `update deliveries as d set state = 'pending', attempts = 0, next_attempt_at = ?, delivered_at = null where ${condition}`,
    )
    .run(now, ...values);
  if (changes === 0 && 'deliveryId' in ask)
    throw new UsageError(
      `There is no delivery ${ask.deliveryId}. \`trendlake webhooks deliveries\` shows the ones there are.`,
    );
  return changes;
};
