import type { Clock } from '../clock.ts';
import { isoOf } from '../iso.ts';
import type { Lake } from '../lake/open.ts';
import {
  type DueDelivery,
  dueDeliveries,
  type EndedAttempt,
  type Endpoint,
  openEndpoints,
  recordAttempts,
} from './deliveries.ts';
import type { Attempt, Poster } from './post.ts';
import { signatureHeaders } from './signature.ts';
import { signingSecrets } from './subscriptions.ts';

/** Attempts under way at one endpoint; one while it fails, so that a dead one is only probed. */
const PER_ENDPOINT = 8;

export interface DispatchDeps {
  readonly clock: Clock;
  /** 0 <= r < 1, for jitter. */
  readonly random: () => number;
  readonly poster: Poster;
  /** Receives a sentence for whoever runs trendlake: an endpoint was disabled. */
  readonly report: (sentence: string) => void;
}

/** Posts one delivery, signed for this instant. */
const sendOne = (
  lake: Lake,
  { poster, clock }: Pick<DispatchDeps, 'poster' | 'clock'>,
  endpoint: Pick<Endpoint, 'id' | 'url' | 'loopback'>,
  letter: { id: string; body: string },
  signal?: AbortSignal,
): Promise<Attempt> => {
  const now = clock.now();
  const secrets = signingSecrets(lake, endpoint.id, now);
  return poster.post(
    {
      url: endpoint.url,
      loopback: endpoint.loopback,
      body: letter.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'trendlake-webhooks',
        ...signatureHeaders(letter.id, now, letter.body, secrets),
      },
    },
    signal,
  );
};

/**
 * Sends an endpoint an event that is none, outside of the outbox: its id begins with `test_` and
 * its type is `webhook.test`. Nothing is stored and nothing is retried.
 */
export const sendTest = (
  lake: Lake,
  deps: Pick<DispatchDeps, 'poster' | 'clock'>,
  endpoint: Pick<Endpoint, 'id' | 'url' | 'loopback'>,
): Promise<Attempt> => {
  const now = deps.clock.now();
  const id = `test_${now}`;
  const data = { id, note: 'A test of this subscription. Nothing happened.' };
  const body = JSON.stringify({
    type: 'webhook.test',
    timestamp: isoOf(now),
    data,
  });
  return sendOne(lake, deps, endpoint, { id: `${id}.${endpoint.id}`, body });
};

/**
 * Starts attempts and writes what came of them. Every endpoint has its own room for attempts, so a
 * dead or slow one takes nothing from the others.
 */
export class Dispatcher {
  readonly #lake: Lake;
  readonly #deps: DispatchDeps;
  readonly #underWay = new Map<string, Set<string>>();
  #ended: EndedAttempt[] = [];
  #wake: () => void = () => {};

  constructor(lake: Lake, deps: DispatchDeps) {
    this.#lake = lake;
    this.#deps = deps;
  }

  /** Attempts under way. */
  get busy(): number {
    return [...this.#underWay.values()].reduce((sum, its) => sum + its.size, 0);
  }

  /** Starts what is due at `now`, as far as each endpoint has room. */
  launch(now: number, signal: AbortSignal): void {
    for (const endpoint of openEndpoints(this.#lake, now)) {
      const underWay = this.#underWay.get(endpoint.id) ?? new Set();
      this.#underWay.set(endpoint.id, underWay);
      const room = (endpoint.failing ? 1 : PER_ENDPOINT) - underWay.size;
      if (room <= 0) continue;
      const due = dueDeliveries(this.#lake, endpoint.id, now, room + underWay.size);
      const fresh = due.filter(({ id }) => !underWay.has(id)).slice(0, room);
      for (const delivery of fresh) void this.#attempt(endpoint, delivery, underWay, signal);
    }
  }

  async #attempt(
    endpoint: Endpoint,
    delivery: DueDelivery,
    underWay: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    underWay.add(delivery.id);
    try {
      const attempt = await sendOne(this.#lake, this.#deps, endpoint, delivery, signal);
      this.#ended.push({ delivery, attempt });
    } catch {
      underWay.delete(delivery.id); // stopped: it stays due and goes out again under the same id
    }
    this.#wake();
  }

  /** Writes what came of the attempts that ended, in one transaction. */
  record(): void {
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    const sentences = recordAttempts(this.#lake, ended, this.#deps.random);
    this.#ended = [];
    for (const { delivery } of ended)
      this.#underWay.get(delivery.subscriptionId)?.delete(delivery.id);
    for (const sentence of sentences) this.#deps.report(sentence);
  }

  /** Resolves when an attempt has ended. One waiter at a time. */
  ended(): Promise<void> {
    if (this.#ended.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
