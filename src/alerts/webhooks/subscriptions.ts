import { randomBytes } from 'node:crypto';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';
import { failPending, removeDeliveries } from '../events/delivery-queue.ts';
import type { SubscriptionFilter } from '../events/outbox.ts';
import { WebhookSecrets } from './secrets.ts';
import { newSecret } from './signature.ts';
import {
  SubscriptionError,
  type SubscriptionWish,
  TooManySubscriptionsError,
} from './subscription-wish.ts';

// The only writer of `subscriptions`. Their secrets are in src/alerts/webhooks/secrets.ts.

/** Owner of subscriptions: a service key, or undefined for the operator, who sees all. */
export type Owner = string | undefined;

const COLUMNS = `id, url, filter, allow_loopback_http as allowLoopbackHttp, key_id as keyId,
  created_at as createdAt, disabled_at as disabledAt, disabled_reason as disabledReason,
  failing_since as failingSince, paused_until as pausedUntil`;

const ROW = {
  id: 'text',
  url: 'text',
  filter: 'text',
  allowLoopbackHttp: 'number',
  keyId: 'text?',
  createdAt: 'number',
  disabledAt: 'number?',
  disabledReason: 'text?',
  failingSince: 'number?',
  pausedUntil: 'number?',
} as const;

/** A subscription without its secrets; instants in Unix ms. */
export type Subscription = Omit<RowOf<typeof ROW>, 'filter' | 'allowLoopbackHttp'> & {
  readonly filter: SubscriptionFilter;
  readonly allowLoopbackHttp: boolean;
};

const subscriptionOf = (row: RowOf<typeof ROW>): Subscription => ({
  ...row,
  filter: JSON.parse(row.filter) as SubscriptionFilter,
  allowLoopbackHttp: row.allowLoopbackHttp === 1,
});

/** Subscriptions of an owner, oldest first. */
export const listSubscriptions = (lake: Lake, owner: Owner): Subscription[] =>
  prepare(
    lake.sqlite,
    `select ${COLUMNS} from subscriptions where ? is null or key_id = ? order by created_at, id`,
    ROW,
  )
    .all(owner ?? null, owner ?? null)
    .map(subscriptionOf);

/** One subscription of an owner; undefined if it is unknown or somebody else's. */
export const findSubscription = (
  lake: Lake,
  id: string,
  owner: Owner,
): Subscription | undefined => {
  const row = prepare(lake.sqlite, `select ${COLUMNS} from subscriptions where id = ?`, ROW).get(
    id,
  );
  const isOwned = row !== undefined && (owner === undefined || row.keyId === owner);
  return isOwned ? subscriptionOf(row) : undefined;
};

/** @throws UsageError when the operator has no such subscription */
export const requireSubscription = (lake: Lake, id: string): Subscription => {
  const found = findSubscription(lake, id, undefined);
  if (found === undefined)
    throw new UsageError(
      `There is no subscription ${id}. \`${commandText('webhooks list')}\` shows the ones there are.`,
    );
  return found;
};

/** Overwrites the secrets that an older trendlake kept in the lake, after they are in `service.db`. */
const emptyOldSecrets = (lake: Lake): void => {
  const before = lake.sqlite.pragma('secure_delete', { simple: true });
  lake.sqlite.pragma('secure_delete = ON');
  lake.sqlite
    .prepare(
      `update subscriptions set secret = '', previous_secret = null, previous_secret_until = null
       where secret <> ''`,
    )
    .run();
  lake.sqlite.pragma(`secure_delete = ${before}`);
  lake.sqlite.pragma('wal_checkpoint(truncate)'); // the journal holds the pages as they were
};

/**
 * Opens the secrets of a lake's subscriptions. Secrets that an older
 * trendlake kept in the lake are moved first; after an interruption they are in both places and are
 * moved the next time.
 * @param report receives a sentence if some were moved
 */
export const secretsOf = (
  lake: Lake,
  report: (sentence: string) => void = () => {},
): WebhookSecrets => {
  const secrets = new WebhookSecrets(lake.dataDir);
  const inLake = prepare(
    lake.sqlite,
    `select id, secret, previous_secret as previous, previous_secret_until as until
       from subscriptions where secret <> ''`,
    { id: 'text', secret: 'text', previous: 'text?', until: 'number?' },
  ).all();
  if (inLake.length === 0) return secrets;
  secrets.take(inLake);
  emptyOldSecrets(lake);
  report(
    `The secrets of ${inLake.length} webhook subscriptions were moved from the lake to service.db. Copies of the lake made before, in backups/ and beside it, still hold them: remove those you do not need, or \`${commandText('webhooks rotate')}\` each.`,
  );
  return secrets;
};

/** Most subscriptions of one key, unless configured otherwise. */
export const MOST_OF_A_KEY = 100;

/** Refuses a subscription that its owner has already, or more than one key may have. */
const refuseOneMore = (
  lake: Lake,
  { url, filter }: { url: string; filter: string },
  { owner, most }: { owner: Owner; most: number },
): void => {
  const twin = prepare(
    lake.sqlite,
    'select id from subscriptions where url = ? and filter = ? and key_id is ? and disabled_at is null',
    'text',
  ).get(url, filter, owner ?? null);
  if (twin !== undefined)
    throw new SubscriptionError(
      'url',
      `${url} is subscribed with the same filter already, as ${twin}. Nothing was added.`,
    );
  if (owner === undefined) return;
  const ofKey = 'select count(*) from subscriptions where key_id = ?';
  const count = required(prepare(lake.sqlite, ofKey, 'number').get(owner));
  if (count >= most)
    throw new TooManySubscriptionsError(
      `This key has ${count} subscriptions, the most it may have (${most}). Remove one first; one subscription can want several kinds, platforms and subjects.`,
    );
};

/**
 * Adds a subscription. Its secret is shown this once.
 * @param most subscriptions that one key may have; the operator is not bounded
 * @throws SubscriptionError when the owner has the same one already; TooManySubscriptionsError
 */
export const addSubscription = (
  lake: Lake,
  wish: SubscriptionWish,
  { now, owner, most = MOST_OF_A_KEY }: { now: number; owner: Owner; most?: number },
): { id: string; secret: string } => {
  using secrets = secretsOf(lake);
  const secret = wish.secret ?? newSecret();
  const id = `sub_${randomBytes(12).toString('hex')}`;
  const filter = JSON.stringify(wish.filter);
  secrets.add(id, secret); // first: a subscription without one could not be sent to
  try {
    lake.sqlite
      .transaction(() => {
        refuseOneMore(lake, { url: wish.url, filter }, { owner, most });
        lake.sqlite
          .prepare(
            `insert into subscriptions (id, url, secret, filter, allow_loopback_http, key_id, created_at)
             values (?, ?, '', ?, ?, ?, ?)`,
          )
          .run(id, wish.url, filter, wish.allowLoopbackHttp ? 1 : 0, owner ?? null, now);
      })
      .immediate();
  } catch (error) {
    secrets.remove(id);
    throw error;
  }
  return { id, secret };
};

/** Removes a subscription, its deliveries and its secret. False when the owner has no such one. */
export const removeSubscription = (lake: Lake, id: string, owner: Owner): boolean => {
  const removed = lake.sqlite
    .transaction(() => {
      if (findSubscription(lake, id, owner) === undefined) return false;
      removeDeliveries(lake, id);
      lake.sqlite.prepare('delete from subscriptions where id = ?').run(id);
      return true;
    })
    .immediate();
  if (!removed) return false;
  using secrets = secretsOf(lake);
  secrets.remove(id);
  return true;
};

/** Disables a subscription. Its pending deliveries fail with the reason. */
export const disableSubscription = (lake: Lake, id: string, at: number, reason: string): void => {
  lake.sqlite
    .prepare(
      'update subscriptions set disabled_at = ?, disabled_reason = ? where id = ? and disabled_at is null',
    )
    .run(at, reason, id);
  failPending(lake, id, `not sent: the endpoint was disabled (${reason})`);
};

/**
 * Disables the subscriptions of a revoked key and removes their secrets. Safe to run twice.
 * @returns how many
 */
export const endSubscriptionsOf = (lake: Lake, keyId: string, now: number): number => {
  const ended = lake.sqlite
    .transaction(() => {
      const open = prepare(
        lake.sqlite,
        'select id from subscriptions where key_id = ? and disabled_at is null',
        'text',
      ).all(keyId);
      for (const id of open) disableSubscription(lake, id, now, 'its key was revoked');
      return open;
    })
    .immediate();
  using secrets = secretsOf(lake);
  for (const { id } of listSubscriptions(lake, keyId)) secrets.remove(id);
  return ended.length;
};

/** State of an endpoint after the last attempt; instants in Unix ms. */
export interface EndpointHealth {
  /** The first failure since the last success; null: it works. */
  readonly failingSince: number | null;
  /** End of the pause that it asked for; null: no new one, and an earlier one continues. */
  readonly pausedUntil: number | null;
}

/** Stores the state of an endpoint. */
export const noteHealth = (
  lake: Lake,
  id: string,
  { failingSince, pausedUntil }: EndpointHealth,
): void => {
  lake.sqlite
    .prepare(
      `update subscriptions set failing_since = @since, paused_until = coalesce(@until, paused_until)
       where id = @id and (failing_since is not @since or @until is not null)`,
    )
    .run({ id, since: failingSince, until: pausedUntil });
};

/**
 * Lets a disabled subscription receive new events again.
 * @throws UsageError when the key that made it was revoked
 */
export const enableSubscription = (lake: Lake, id: string): void => {
  const { keyId } = requireSubscription(lake, id);
  using secrets = secretsOf(lake);
  if (keyId !== null && secrets.isRevoked(keyId))
    throw new UsageError(
      `The key ${keyId} that made ${id} was revoked, which ended its subscriptions. \`${commandText('webhooks add')}\` makes one of your own.`,
    );
  lake.sqlite
    .prepare(
      'update subscriptions set disabled_at = null, disabled_reason = null, failing_since = null, paused_until = null where id = ?',
    )
    .run(id);
};

/** Gives a subscription a new secret; for a day both sign. */
export const rotateSecret = (lake: Lake, id: string, now: number): { secret: string } => {
  using secrets = secretsOf(lake);
  return { secret: secrets.rotate(id, now) };
};
