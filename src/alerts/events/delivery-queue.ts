import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { statement } from '../../lake/statements.ts';
import type { DeliveryAttempt } from '../webhooks/post.ts';
import type { Verdict } from '../webhooks/retry.ts';

// The only writer of `deliveries` and of `delivery_due`, which has the next time of each
// subscription, so that a sender reads one index for any number of subscribers. Runs in the
// caller's transaction, or in a new one.

/**
 * Sets when a subscription's next delivery may leave, from its pending deliveries and the pause of its
 * endpoint. Call it after writing either.
 */
export const dueAgain = (lake: Lake, subscriptionId: string): void => {
  const dueAt = required(
    prepare(
      lake.sqlite,
      `select max(min(d.next_attempt_at), coalesce(s.paused_until, 0))
       from subscriptions s join deliveries d on d.subscription_id = s.id
       where s.id = ? and s.disabled_at is null and d.state = 'pending'`,
      'number?',
    ).get(subscriptionId),
  );
  if (dueAt === null)
    lake.sqlite.prepare('delete from delivery_due where subscription_id = ?').run(subscriptionId);
  else
    lake.sqlite
      .prepare(
        `insert into delivery_due (subscription_id, due_at) values (?, ?)
         on conflict do update set due_at = excluded.due_at`,
      )
      .run(subscriptionId, dueAt);
};

/** A subscription, and the end of the pause that its endpoint asked for, Unix ms. */
export interface Listener {
  readonly id: string;
  readonly pausedUntil: number | null;
}

/** Queues an event for a subscription. Safe to call twice. @returns the number of new deliveries */
export const queueDelivery = (
  lake: Lake,
  eventId: string,
  { id, pausedUntil }: Listener,
  now: number,
): number => {
  const { changes } = statement(
    lake,
    `insert into deliveries (id, event_id, subscription_id, state, queued_at, attempts, next_attempt_at)
     values (?, ?, ?, 'pending', ?, 0, ?) on conflict do nothing`,
  ).run(`${eventId}.${id}`, eventId, id, now, now);
  if (changes > 0)
    statement(
      lake,
      `insert into delivery_due (subscription_id, due_at) values (?, ?)
       on conflict do update set due_at = min(due_at, excluded.due_at)`,
    ).run(id, Math.max(now, pausedUntil ?? 0));
  return changes;
};

/** Result of an attempt, as stored; instants in Unix ms. */
interface AttemptOutcome extends Pick<Verdict, 'state' | 'nextAttemptAt'>, DeliveryAttempt {
  readonly attempts: number;
  readonly deliveredAt: number | null;
}

/** Stores the result of an attempt. `dueAgain` follows. */
export const noteAttempt = (lake: Lake, id: string, outcome: AttemptOutcome): void => {
  lake.sqlite
    .prepare(
      `update deliveries set state = @state, attempts = @attempts, next_attempt_at = @nextAttemptAt,
         last_status = @status, last_error = @error, last_answer = @answer,
         last_attempt_at = @at, last_duration_ms = @durationMs, delivered_at = @deliveredAt
       where id = @id`,
    )
    .run({ ...outcome, id });
};

/** Fails the pending deliveries of a subscription, with a reason. */
export const failPending = (lake: Lake, subscriptionId: string, why: string): void => {
  lake.sqlite
    .prepare(
      `update deliveries set state = 'failed', next_attempt_at = null, last_error = ?
       where subscription_id = ? and state = 'pending'`,
    )
    .run(why, subscriptionId);
  dueAgain(lake, subscriptionId);
};

/** One delivery, or those of a subscription queued inside a span. */
export type WhichDeliveries =
  | { readonly deliveryId: string }
  | { readonly subscriptionId: string; readonly from: number; readonly to: number };

/** The condition on `deliveries as d` that chooses them, and its values. */
export const choosing = (which: WhichDeliveries): [condition: string, values: unknown[]] =>
  'deliveryId' in which
    ? ['d.id = ?', [which.deliveryId]]
    : [
        'd.subscription_id = ? and d.queued_at between ? and ?',
        [which.subscriptionId, which.from, which.to],
      ];

/** Makes deliveries due at `now`, under their old ids, with new attempts. @returns how many */
export const queueAgain = (lake: Lake, which: WhichDeliveries, now: number): number => {
  const [condition, values] = choosing(which);
  const again = prepare(
    lake.sqlite,
    `update deliveries as d set state = 'pending', attempts = 0, next_attempt_at = ?, delivered_at = null
       where ${condition} returning subscription_id`,
    'text',
  ).all(now, ...values);
  for (const subscriptionId of new Set(again)) dueAgain(lake, subscriptionId);
  return again.length;
};

/** Removes the deliveries of a subscription. */
export const removeDeliveries = (lake: Lake, subscriptionId: string): void => {
  lake.sqlite.prepare('delete from delivery_due where subscription_id = ?').run(subscriptionId);
  lake.sqlite.prepare('delete from deliveries where subscription_id = ?').run(subscriptionId);
};

/** Removes deliveries of events that occurred after an instant (Unix ms). */
export const removeDeliveriesOfEventsAfter = ({ sqlite }: Lake, after: number): void => {
  sqlite
    .prepare(
      'delete from deliveries where event_id in (select id from events where occurred_at > ?)',
    )
    .run(after);
};
