import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../durations.ts';
import { UsageError } from '../errors.ts';
import type { SubscriptionFilter } from '../events/outbox.ts';
import type { Lake } from '../lake/open.ts';
import { newSecret } from './signature.ts';
import { SubscriptionError, type SubscriptionWish } from './subscription-wish.ts';

/** How long the secret before the current one goes on signing. */
const ROTATION_MS = DAY_MS;

/** A subscription without its secrets; instants in Unix ms. */
export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly filter: SubscriptionFilter;
  readonly allowLoopbackHttp: boolean;
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly disabledReason: string | null;
  readonly failingSince: number | null;
  readonly pausedUntil: number | null;
}

/**
 * Whose subscriptions are meant: those a service key made, or every one (the operator, undefined).
 */
export type Owner = string | undefined;

interface Row extends Omit<Subscription, 'filter' | 'allowLoopbackHttp'> {
  readonly filter: string;
  readonly allowLoopbackHttp: number;
}

const COLUMNS = `id, url, filter, allow_loopback_http as allowLoopbackHttp, key_id as keyId,
  created_at as createdAt, disabled_at as disabledAt, disabled_reason as disabledReason,
  failing_since as failingSince, paused_until as pausedUntil`;

const subscriptionOf = (row: Row): Subscription => ({
  ...row,
  filter: JSON.parse(row.filter) as SubscriptionFilter,
  allowLoopbackHttp: row.allowLoopbackHttp === 1,
});

/** Subscriptions of an owner, oldest first. */
export const listSubscriptions = (lake: Lake, owner: Owner): Subscription[] =>
  (
    lake.sqlite
      .prepare(
        `select ${COLUMNS} from subscriptions where ? is null or key_id = ? order by created_at, id`,
      )
      .all(owner ?? null, owner ?? null) as Row[]
  ).map(subscriptionOf);

/** One subscription of an owner; undefined when there is none, or it is somebody else's. */
export const findSubscription = (
  lake: Lake,
  id: string,
  owner: Owner,
): Subscription | undefined => {
  const row = lake.sqlite.prepare(`select ${COLUMNS} from subscriptions where id = ?`).get(id) as
    | Row
    | undefined;
  const theirs = row !== undefined && (owner === undefined || row.keyId === owner);
  return theirs ? subscriptionOf(row) : undefined;
};

/** @throws UsageError when the operator has no such subscription */
export const requireSubscription = (lake: Lake, id: string): Subscription => {
  const found = findSubscription(lake, id, undefined);
  if (found === undefined)
    throw new UsageError(
      `There is no subscription ${id}. \`trendlake webhooks list\` shows the ones there are.`,
    );
  return found;
};

/**
 * Adds a subscription. Its secret is shown this once.
 * @throws SubscriptionError when the owner has the same one already
 */
export const addSubscription = (
  lake: Lake,
  wish: SubscriptionWish,
  { now, owner }: { now: number; owner: Owner },
): { id: string; secret: string } => {
  const secret = wish.secret ?? newSecret();
  const id = `sub_${randomBytes(12).toString('hex')}`;
  const filter = JSON.stringify(wish.filter);
  lake.sqlite
    .transaction(() => {
      const twin = lake.sqlite
        .prepare(
          'select id from subscriptions where url = ? and filter = ? and key_id is ? and disabled_at is null',
        )
        .pluck()
        .get(wish.url, filter, owner ?? null) as string | undefined;
      if (twin !== undefined)
        throw new SubscriptionError(
          'url',
          `${wish.url} is subscribed with the same filter already, as ${twin}. Nothing was added.`,
        );
      lake.sqlite
        .prepare(
          `insert into subscriptions (id, url, secret, filter, allow_loopback_http, key_id, created_at)
           values (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, wish.url, secret, filter, wish.allowLoopbackHttp ? 1 : 0, owner ?? null, now);
    })
    .immediate();
  return { id, secret };
};

/** Removes a subscription and its deliveries. False when the owner has no such one. */
export const removeSubscription = (lake: Lake, id: string, owner: Owner): boolean =>
  lake.sqlite
    .transaction(() => {
      if (findSubscription(lake, id, owner) === undefined) return false;
      lake.sqlite.prepare('delete from deliveries where subscription_id = ?').run(id);
      lake.sqlite.prepare('delete from subscriptions where id = ?').run(id);
      return true;
    })
    .immediate();

/** Lets a disabled subscription receive again: what occurs from now on. */
export const enableSubscription = (lake: Lake, id: string): void => {
  lake.sqlite
    .prepare(
      'update subscriptions set disabled_at = null, disabled_reason = null, failing_since = null, paused_until = null where id = ?',
    )
    .run(id);
};

/**
 * Gives a subscription a new secret. For a day both sign, so that the receiver can change its own
 * in between. A second rotation within the day ends the oldest one's time.
 */
export const rotateSecret = (lake: Lake, id: string, now: number): { secret: string } => {
  const secret = newSecret();
  lake.sqlite
    .prepare(
      'update subscriptions set previous_secret = secret, previous_secret_until = ?, secret = ? where id = ?',
    )
    .run(now + ROTATION_MS, secret, id);
  return { secret };
};

/** The secrets that sign at an instant, the current one first. */
export const signingSecrets = (lake: Lake, id: string, now: number): string[] => {
  const row = lake.sqlite
    .prepare(
      'select secret, previous_secret as previous, previous_secret_until as until from subscriptions where id = ?',
    )
    .get(id) as { secret: string; previous: string | null; until: number | null } | undefined;
  if (row === undefined) return [];
  const both = row.previous !== null && (row.until ?? 0) > now;
  return both ? [row.secret, row.previous as string] : [row.secret];
};
