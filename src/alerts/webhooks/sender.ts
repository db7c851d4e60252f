import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { LakeError, messageOf } from '../../base/errors.ts';
import type { ProxySettings } from '../../base/proxy.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { Dispatcher } from './dispatcher.ts';
import { HttpPoster } from './post.ts';
import { endSubscriptionsOf, secretsOf } from './subscriptions.ts';

export interface SenderDeps {
  readonly clock: Clock;
  /** 0 <= r < 1, for jitter. */
  readonly random: () => number;
  /** Receives sentences for whoever runs trendlake: an endpoint was disabled, sending failed. */
  readonly report?: (sentence: string) => void;
  /** Keys in a shared ledger; keys of a data directory are looked up there. */
  readonly revokedKeys?: RevokedKeys | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Origin of the dashboard, for links in messages to people. */
  readonly publicUrl?: string | undefined;
}

/** Other processes queue deliveries too; this is how long they may wait to be seen. */
const POLL_MS = SECOND_MS / 4;
const STANDBY_MS = SECOND_MS;
const STOP_GRACE_MS = 3 * SECOND_MS;
const AFTER_FAILURE_MS = 5 * SECOND_MS;

const EXCLUSIVE = 'webhook sender';
const isTaken = (error: unknown): boolean => error instanceof LakeError && error.transient;

/** Ids of the keys that were revoked on any machine; empty if they cannot be read now. */
export type RevokedKeys = () => Promise<readonly string[]>;

/** Shortest time between two reads of the revoked keys. */
const REVOKED_EVERY_MS = 10 * SECOND_MS;

/**
 * Returns a function that ends the subscriptions of keys revoked on another machine. It reads the
 * revoked keys every ten seconds at most, and only if a key has subscriptions here.
 */
export const revocationCheck = (
  lake: Lake,
  { clock, revokedKeys }: Pick<SenderDeps, 'clock' | 'revokedKeys'>,
): (() => Promise<void>) => {
  if (revokedKeys === undefined) return async () => {};
  const subscribed = prepare(
    lake.sqlite,
    'select distinct key_id from subscriptions where key_id is not null and disabled_at is null',
    'text',
  );
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.monotonic();
    const keys = now < nextAt ? [] : subscribed.all();
    if (keys.length === 0) return;
    nextAt = now + REVOKED_EVERY_MS;
    const revoked = new Set(await revokedKeys());
    for (const id of keys) if (revoked.has(id)) endSubscriptionsOf(lake, id, clock.now());
  };
};

/** Sends until stopped, then waits a moment for attempts under way. */
const sendUntil = async (
  dispatcher: Dispatcher,
  { clock, endRevoked }: { clock: Clock; endRevoked: () => Promise<void> },
  stopping: AbortSignal,
): Promise<void> => {
  const cutting = new AbortController();
  while (!stopping.aborted) {
    dispatcher.record();
    await endRevoked();
    dispatcher.launch(clock.now(), cutting.signal);
    const rested = new AbortController();
    const resting = clock.sleep(POLL_MS, AbortSignal.any([stopping, rested.signal]));
    await Promise.race([dispatcher.ended(), resting.catch(() => undefined)]);
    rested.abort();
  }
  const finished = new AbortController();
  const grace = clock.sleep(STOP_GRACE_MS, finished.signal);
  void grace.then(() => cutting.abort()).catch(() => undefined);
  while (dispatcher.busy > 0) {
    await dispatcher.ended();
    dispatcher.record();
  }
  finished.abort();
};

/**
 * Sends what is due until it is stopped, for `serve` and `schedule`. Of several processes with one
 * data directory one sends; another takes over when it ends. Failures are reported and retried.
 * @returns `stop`, which starts nothing more, gives attempts under way a moment, and ends. Attempts
 *   that were cut off go out again.
 */
export const startSender = (lake: Lake, deps: SenderDeps): { stop: () => Promise<void> } => {
  const { clock, report = () => {} } = deps;
  const poster = new HttpPoster(deps);
  const secrets = secretsOf(lake, report);
  const dispatcher = new Dispatcher(lake, { ...deps, report, poster, secrets });
  const endRevoked = revocationCheck(lake, deps);
  const stopping = new AbortController();
  const { signal } = stopping;
  const sendAlone = async (): Promise<void> => {
    let restMs = STANDBY_MS;
    try {
      await withExclusive(lake.dataDir, EXCLUSIVE, clock, () =>
        sendUntil(dispatcher, { clock, endRevoked }, signal),
      );
    } catch (error) {
      if (!isTaken(error)) {
        report(`Sending webhooks failed and is tried again: ${messageOf(error)}`);
        restMs = AFTER_FAILURE_MS;
      }
    }
    if (!signal.aborted) await clock.sleep(restMs, signal).catch(() => undefined);
  };
  const work = async (): Promise<void> => {
    using _ = secrets;
    while (!signal.aborted) await sendAlone();
    await poster.close();
  };
  const working = work();
  return {
    stop: () => {
      stopping.abort();
      return working;
    },
  };
};

/** Result of a bounded flush. */
export interface FlushSummary {
  /** Deliveries that were due when it began and still are; a sender or the next flush sends them. */
  readonly left: number;
  /** True when another process is the sender and this one had nothing to do. */
  readonly elsewhere: boolean;
}

const countDue = (lake: Lake, now: number): number =>
  required(
    prepare(
      lake.sqlite,
      // the endpoints first: those are few, and deliveries are kept
      `select count(*) from subscriptions s cross join deliveries d on d.subscription_id = s.id
       where d.state = 'pending' and d.next_attempt_at <= ? and s.disabled_at is null`,
      'number',
    ).get(now),
  );

const sendDue = async (
  dispatcher: Dispatcher,
  dueAt: number,
  cutting: AbortSignal,
): Promise<void> => {
  for (;;) {
    if (!cutting.aborted) dispatcher.launch(dueAt, cutting);
    if (dispatcher.busy === 0) return;
    await dispatcher.ended();
    dispatcher.record();
  }
};

/**
 * Sends what is due at its start, for at most `budgetMs` and not past the signal, for the end of a
 * sync. Retries that fall due meanwhile are left to the next one.
 */
export const flushDeliveries = async (
  lake: Lake,
  {
    budgetMs = 10 * SECOND_MS,
    signal,
    ...deps
  }: SenderDeps & { budgetMs?: number; signal?: AbortSignal },
): Promise<FlushSummary> => {
  const { clock, report = () => {} } = deps;
  const dueAt = clock.now();
  using secrets = secretsOf(lake, report);
  if (countDue(lake, dueAt) === 0) return { left: 0, elsewhere: false };
  await revocationCheck(lake, deps)();
  await using poster = new HttpPoster(deps);
  const dispatcher = new Dispatcher(lake, { ...deps, report, poster, secrets });
  const overdue = AbortSignal.timeout(budgetMs);
  const cutting = signal === undefined ? overdue : AbortSignal.any([overdue, signal]);
  let elsewhere = false;
  try {
    await withExclusive(lake.dataDir, EXCLUSIVE, clock, () => sendDue(dispatcher, dueAt, cutting));
  } catch (error) {
    if (!isTaken(error)) throw error;
    elsewhere = true;
  }
  return { left: countDue(lake, dueAt), elsewhere };
};
