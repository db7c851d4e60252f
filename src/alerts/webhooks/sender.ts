import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { LakeError, messageOf } from '../../base/errors.ts';
import type { ProxySettings } from '../../base/proxy.ts';
import { withExclusive } from '../../lake/exclusive.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { Dispatcher } from './dispatcher.ts';
import { HttpPoster, type Poster } from './post.ts';
import { RevocationWatch, type RevokedKeys } from './revoked-keys.ts';
import type { WebhookSecrets } from './secrets.ts';
import { secretsOf } from './subscriptions.ts';

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
  /** Stands in for posting over guarded connections. */
  readonly poster?: Poster;
}

/** Other processes queue deliveries too; this is how long they may wait to be seen. */
const POLL_MS = SECOND_MS / 4;
const STANDBY_MS = SECOND_MS;
const STOP_GRACE_MS = 3 * SECOND_MS;
const AFTER_FAILURE_MS = 5 * SECOND_MS;

const EXCLUSIVE = 'webhook sender';
const isTaken = (error: unknown): boolean => error instanceof LakeError && error.transient;

const watchOf = (
  lake: Lake,
  { clock, revokedKeys }: Pick<SenderDeps, 'clock' | 'revokedKeys'>,
): RevocationWatch | undefined =>
  revokedKeys === undefined ? undefined : new RevocationWatch(lake, clock, revokedKeys);

/** Sends until stopped, then waits a moment for attempts under way. */
const sendUntil = async (
  dispatcher: Dispatcher,
  { clock, watch }: { clock: Clock; watch: RevocationWatch | undefined },
  stopping: AbortSignal,
): Promise<void> => {
  const cutting = new AbortController();
  while (!stopping.aborted) {
    dispatcher.record();
    await watch?.endRevoked();
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
 * Sends what is due, from when it is made until it is stopped, for `serve` and `schedule`. Of several
 * processes with one data directory one sends; another takes over when it ends. Never throws once it
 * is made: what fails is reported and tried again.
 */
export class Sender {
  readonly #lake: Lake;
  readonly #clock: Clock;
  readonly #report: (sentence: string) => void;
  readonly #poster: Poster;
  readonly #secrets: WebhookSecrets;
  readonly #dispatcher: Dispatcher;
  readonly #watch: RevocationWatch | undefined;
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;

  constructor(lake: Lake, deps: SenderDeps) {
    const { clock, report = () => {}, poster = new HttpPoster(deps) } = deps;
    this.#lake = lake;
    this.#clock = clock;
    this.#report = report;
    this.#poster = poster;
    this.#secrets = secretsOf(lake, report);
    this.#dispatcher = new Dispatcher(lake, { ...deps, report, poster, secrets: this.#secrets });
    this.#watch = watchOf(lake, deps);
    this.#working = this.#work();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const restMs = await this.#sendAlone();
      if (!signal.aborted) await this.#clock.sleep(restMs, signal).catch(() => undefined);
    }
  }

  /** Sends until stopped where no other process does; gives how long to wait before the next try. */
  async #sendAlone(): Promise<number> {
    try {
      await withExclusive(this.#lake.dataDir, EXCLUSIVE, this.#clock, () =>
        sendUntil(
          this.#dispatcher,
          { clock: this.#clock, watch: this.#watch },
          this.#stopping.signal,
        ),
      );
    } catch (error) {
      if (isTaken(error)) return STANDBY_MS;
      this.#report(`Sending webhooks failed and is tried again: ${messageOf(error)}`);
      return AFTER_FAILURE_MS;
    }
    return STANDBY_MS;
  }

  /** Starts nothing more, gives what is under way a moment, and stops. What was cut off goes out again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
    await this.#poster.close();
    this.#secrets.close();
  }
}

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
  const secrets = secretsOf(lake, report);
  if (countDue(lake, dueAt) === 0) {
    secrets.close();
    return { left: 0, elsewhere: false };
  }
  await watchOf(lake, deps)?.endRevoked();
  const poster = deps.poster ?? new HttpPoster(deps);
  const dispatcher = new Dispatcher(lake, { ...deps, report, poster, secrets });
  const overdue = AbortSignal.timeout(budgetMs);
  const cutting = signal === undefined ? overdue : AbortSignal.any([overdue, signal]);
  try {
    await withExclusive(lake.dataDir, EXCLUSIVE, clock, () => sendDue(dispatcher, dueAt, cutting));
  } catch (error) {
    if (!isTaken(error)) throw error;
    return { left: countDue(lake, dueAt), elsewhere: true };
  } finally {
    await poster.close();
    secrets.close();
  }
  return { left: countDue(lake, dueAt), elsewhere: false };
};
