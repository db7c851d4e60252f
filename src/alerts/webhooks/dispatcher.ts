import { EVENT_KINDS } from '../../../schema/vocabulary.ts';
import type { Clock } from '../../base/clock.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { isObject } from '../../base/json-object.ts';
import { terminalLine } from '../../base/terminal-text.ts';
import type { Lake } from '../../lake/open.ts';
import { eventSentence } from '../../lake/read/event-sentence.ts';
import {
  type ChatTarget,
  chatLetter,
  chatTarget,
  type ShownItem,
  type ShownMessage,
  targetOrigin,
} from './chat.ts';
import {
  type DueDelivery,
  dueDeliveries,
  dueEndpoints,
  type EndedAttempt,
  type Endpoint,
  recordAttempts,
} from './deliveries.ts';
import type { DeliveryAttempt, Poster } from './post.ts';
import type { WebhookSecrets } from './secrets.ts';
import { signedLetter } from './signature.ts';
import { endSubscriptionsOf, secretsOf } from './subscriptions.ts';

/** Attempts under way at one origin; one to an endpoint that fails, so that a dead one is only probed. */
const PER_ORIGIN = 8;
/** Attempts under way in all, each of which is a socket. */
const AT_ONCE = 64;
/** Of them to endpoints that fail: many dead ones leave room for those that live. */
const TO_FAILING = 16;

/** Deliveries to a chat service that go out as one message. */
const TOGETHER = 500;

export interface DispatchDeps {
  readonly clock: Clock;
  /** 0 <= r < 1, for jitter. */
  readonly random: () => number;
  readonly poster: Poster;
  readonly secrets: WebhookSecrets;
  /** Receives a sentence for whoever runs trendlake: an endpoint was disabled. */
  readonly report: (sentence: string) => void;
  /** Origin of the dashboard, for links in messages to people. */
  readonly publicUrl?: string | undefined;
}

type SendDeps = Pick<DispatchDeps, 'poster' | 'clock' | 'secrets'>;
type Target = Pick<Endpoint, 'id' | 'url' | 'loopback'>;

/** Posts one delivery, signed for this instant. */
const sendOne = (
  { poster, clock, secrets }: SendDeps,
  endpoint: Target,
  { id, body }: { id: string; body: string },
  signal?: AbortSignal,
): Promise<DeliveryAttempt> => {
  const now = clock.now();
  const signing = secrets.signing(endpoint.id, now);
  if (signing.length === 0)
    return Promise.resolve({
      at: now,
      durationMs: 0,
      status: null,
      retryAfter: null,
      answer: null,
      error: `its secret is not in service.db: \`${commandText(`webhooks rotate ${endpoint.id}`)}\` makes a new one`,
    });
  const { url, loopback } = endpoint;
  return poster.post({ url, loopback, ...signedLetter(id, now, body, signing) }, signal);
};

/** More events than this become a digest. */
const MOST_EVENTS = 10;

const shownEvent = (body: string): ShownItem => {
  const { type, data } = JSON.parse(body) as { type: string; data: unknown };
  const { subject, note } = isObject(data) ? data : {};
  const { kind, id, url } = isObject(subject) ? subject : {};
  const known = EVENT_KINDS.find((kind) => kind === type);
  return {
    title: terminalLine([type, kind, id].filter((part) => typeof part === 'string').join(' ')),
    text: terminalLine(known === undefined ? String(note ?? '') : eventSentence(known, data)),
    url: typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : null,
  };
};

/**
 * Events as one message.
 * @param bodies as webhooks deliver them
 * @param publicUrl origin of the dashboard
 */
const shownEvents = (bodies: readonly string[], publicUrl: string | undefined): ShownMessage => {
  const items = bodies.slice(0, MOST_EVENTS).map(shownEvent);
  return {
    headline:
      bodies.length === 1 ? `trendlake: ${items[0]?.title}` : `trendlake: ${bodies.length} events`,
    items,
    more: bodies.length - items.length,
    link: publicUrl === undefined ? undefined : `${publicUrl}/events`,
  };
};

/** Posts events to a chat service as one message. */
const sendShown = (
  { poster, publicUrl }: Pick<DispatchDeps, 'poster' | 'publicUrl'>,
  { loopback }: Target,
  { chat, bodies }: { chat: ChatTarget; bodies: readonly string[] },
  signal?: AbortSignal,
): Promise<DeliveryAttempt> =>
  poster.post(
    { url: chat.url, loopback, ...chatLetter(chat, shownEvents(bodies, publicUrl)) },
    signal,
  );

/**
 * Sends a test to an endpoint, outside of the outbox: its id begins with `test_` and its type is
 * `webhook.test`. Nothing is stored or retried.
 */
export const sendTest = async (
  lake: Lake,
  { poster, clock }: Pick<DispatchDeps, 'poster' | 'clock'>,
  endpoint: Target,
): Promise<DeliveryAttempt> => {
  const now = clock.now();
  const id = `test_${now}`;
  const data = { id, note: 'A test of this subscription. Nothing happened.' };
  const body = JSON.stringify({ type: 'webhook.test', timestamp: isoOf(now), data });
  const chat = chatTarget(endpoint.url);
  if (chat !== undefined) return await sendShown({ poster }, endpoint, { chat, bodies: [body] });
  using secrets = secretsOf(lake);
  const letter = { id: `${id}.${endpoint.id}`, body };
  return await sendOne({ poster, clock, secrets }, endpoint, letter);
};

/** An attempt under way. */
interface UnderWay {
  readonly subscriptionId: string;
  readonly origin: string;
  readonly failing: boolean;
}

/**
 * Starts attempts and stores their results. Every origin has a limit of attempts, and all share
 * another one, in which each endpoint gets one attempt before any gets a second, so that dead or
 * slow endpoints delay others little.
 */
export class Dispatcher {
  readonly #lake: Lake;
  readonly #deps: DispatchDeps;
  /** By the id of the delivery. */
  readonly #underWay = new Map<string, UnderWay>();
  /** Newest message to each chat endpoint, Unix ms. */
  readonly #shownAt = new Map<string, number>();
  #ended: EndedAttempt[] = [];
  #wake: () => void = () => {};

  constructor(lake: Lake, deps: DispatchDeps) {
    this.#lake = lake;
    this.#deps = deps;
  }

  /** Attempts under way. */
  get busy(): number {
    return this.#underWay.size;
  }

  /** Starts what is due at `now`, as far as there is room. */
  launch(now: number, signal: AbortSignal): void {
    if (this.busy >= AT_ONCE) return;
    // those that have no room left are due too and may come first
    const endpoints = dueEndpoints(this.#lake, now, 2 * AT_ONCE).filter((due) => this.#isOpen(due));
    const webhooks = endpoints.filter((endpoint) => !this.#launchShown(endpoint, now, signal));
    const waiting = webhooks.map((endpoint) => ({
      endpoint,
      due: this.#dueOf(endpoint, now),
    }));
    for (let round = 0; round < PER_ORIGIN; round += 1)
      for (const { endpoint, due } of waiting) {
        const delivery = due[round];
        if (delivery !== undefined && this.#hasRoom(endpoint))
          void this.#attempt(endpoint, [delivery], () =>
            sendOne(this.#deps, endpoint, delivery, signal),
          );
      }
  }

  /** Starts one message with all that is due for a chat endpoint. @returns false for other endpoints */
  #launchShown(endpoint: Endpoint, now: number, signal: AbortSignal): boolean {
    const chat = chatTarget(endpoint.url);
    if (chat === undefined) return false;
    const isBusy = [...this.#underWay.values()].some(
      (delivery) => delivery.subscriptionId === endpoint.id,
    );
    const nextAt = (this.#shownAt.get(endpoint.id) ?? 0) + chat.everyMs;
    if (isBusy || this.#deps.clock.now() < nextAt || !this.#hasRoom(endpoint)) return true;
    const due = dueDeliveries(this.#lake, endpoint.id, now, TOGETHER);
    const bodies = due.map(({ body }) => body);
    if (due.length > 0)
      void this.#attempt(endpoint, due, () => {
        this.#shownAt.set(endpoint.id, this.#deps.clock.now());
        return sendShown(this.#deps, endpoint, { chat, bodies }, signal);
      });
    return true;
  }

  /** False where the key that made the subscription was revoked, which ends it. */
  #isOpen({ keyId }: Endpoint): boolean {
    if (keyId === null || !this.#deps.secrets.isRevoked(keyId)) return true;
    endSubscriptionsOf(this.#lake, keyId, this.#deps.clock.now());
    return false;
  }

  /** Due deliveries of an endpoint that are not under way. */
  #dueOf(endpoint: Endpoint, now: number): DueDelivery[] {
    const due = dueDeliveries(this.#lake, endpoint.id, now, 2 * PER_ORIGIN);
    return due.filter(({ id }) => !this.#underWay.has(id));
  }

  #hasRoom(endpoint: Endpoint): boolean {
    const underWay = [...this.#underWay.values()];
    const origin = targetOrigin(endpoint.url);
    const count = (fits: (delivery: UnderWay) => boolean): number => underWay.filter(fits).length;
    return (
      underWay.length < AT_ONCE &&
      count((delivery) => delivery.origin === origin) < PER_ORIGIN &&
      (!endpoint.failing ||
        (count((delivery) => delivery.subscriptionId === endpoint.id) === 0 &&
          count((delivery) => delivery.failing) < TO_FAILING))
    );
  }

  async #attempt(
    endpoint: Endpoint,
    deliveries: readonly DueDelivery[],
    send: () => Promise<DeliveryAttempt>,
  ): Promise<void> {
    const [first] = deliveries;
    if (first === undefined) return;
    this.#underWay.set(first.id, {
      subscriptionId: endpoint.id,
      origin: targetOrigin(endpoint.url),
      failing: endpoint.failing,
    });
    try {
      const attempt = await send();
      for (const delivery of deliveries) this.#ended.push({ delivery, attempt });
    } catch {
      this.#underWay.delete(first.id); // stopped: it stays due and goes out again under the same id
    }
    this.#wake();
  }

  /** Stores the results of ended attempts in one transaction. */
  record(): void {
    if (this.#ended.length === 0) return;
    const ended = this.#ended;
    const sentences = recordAttempts(this.#lake, ended, this.#deps.random);
    this.#ended = [];
    for (const { delivery } of ended) this.#underWay.delete(delivery.id);
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
