import PQueue from 'p-queue';
import { KeyRefusedError } from '../../upstream/errors.ts';
import { PausedError, QuotaSpentError, ServiceDownError } from '../../upstream/throttle/errors.ts';
import { keysFor, platformOf } from '../plan/key-plan.ts';
import { type OpenThrottle, openThrottle, type ThrottleOptions } from './open-throttle.ts';
import type { RunKey } from './run-deps.ts';
import type { OpenItem } from './run-log.ts';

/** True for an error that stops one key but not the others. */
export const isOfKey = (error: Error): boolean =>
  (error instanceof QuotaSpentError && error.resumesAt !== null) ||
  error instanceof ServiceDownError ||
  (error instanceof KeyRefusedError && error.status === 401);

/** One key of a run, with a queue of requests. */
export interface KeyLane extends OpenThrottle {
  readonly key: RunKey;
  readonly queue: PQueue;
  /** Jobs that the key may not call, with the service's message. */
  readonly forbidden: Map<string, string>;
  /** Reason why the key makes no more calls in this run. */
  stop: Error | undefined;
}

/** Queued and running requests. */
const waitingIn = ({ queue }: KeyLane): number => queue.size + queue.pending;

/** Minutes to finish its queue and one more request, at its rate. */
const minutesAhead = (lane: KeyLane): number => (waitingIn(lane) + 1) / lane.key.ratePerMinute;

/** Reason shown for a stopped run. Pauses end, so they win over failures, earliest first. */
const shownStop = (stops: readonly Error[]): Error | undefined => {
  const pauses = stops.filter((stop) => stop instanceof PausedError);
  const endOf = ({ resumesAt }: PausedError): number => resumesAt ?? Number.MAX_VALUE;
  return pauses.toSorted((a, b) => endOf(a) - endOf(b))[0] ?? stops[0];
};

/**
 * The keys of a run. A request goes to the key that will finish its queue first, of those that
 * serve its platform. If a key stops, the others take over its requests.
 */
export class Lanes {
  readonly all: readonly KeyLane[];

  constructor(
    keys: readonly RunKey[],
    options: Omit<ThrottleOptions, 'limits' | 'client' | 'counts'>,
    concurrency: number,
  ) {
    const counts = { sent: 0, ok: 0, failed: 0 };
    this.all = keys.map((key) => {
      const { client, ...limits } = key;
      const hasHelp = () => this.#hasHelp(key);
      const open = openThrottle({ ...options, limits, client, counts, hasHelp });
      const queue = new PQueue({ concurrency });
      return { ...open, key, queue, forbidden: new Map(), stop: undefined };
    });
  }

  /** True if another key that goes on serves all platforms of this one. */
  #hasHelp({ key, platforms }: RunKey): boolean {
    return this.all.some(
      (other) =>
        other.key.key !== key &&
        other.stop === undefined &&
        platforms.every((platform) => other.key.platforms.includes(platform)),
    );
  }

  get callsSent(): number {
    return this.all[0]?.throttle.counts.sent ?? 0;
  }

  get waiting(): number {
    return this.all.reduce((sum, lane) => sum + waitingIn(lane), 0);
  }

  #serving({ request }: OpenItem): readonly KeyLane[] {
    const keys = keysFor(
      platformOf(request),
      this.all.map(({ key }) => key),
    );
    return this.all.filter(({ key }) => keys.includes(key));
  }

  /** Key for a request; undefined if all its keys have stopped. */
  deal(item: OpenItem): KeyLane | undefined {
    const serving = this.#serving(item).filter(({ stop }) => stop === undefined);
    const allowed = serving.filter(({ forbidden }) => !forbidden.has(item.job));
    const [first] = (allowed.length > 0 ? allowed : serving).toSorted(
      (a, b) => minutesAhead(a) - minutesAhead(b),
    );
    return first;
  }

  /** True if another key should make the request. */
  passesOn(item: OpenItem, lane: KeyLane): boolean {
    if (lane.stop !== undefined) return true;
    const may = ({ stop, forbidden }: KeyLane): boolean =>
      stop === undefined && !forbidden.has(item.job);
    return !may(lane) && this.#serving(item).some(may);
  }

  /** Reason why no key makes the request; undefined if one does. */
  whyNot(item: OpenItem): string | undefined {
    const [lane] = this.#serving(item);
    return lane?.stop === undefined ? undefined : `Key ${lane.key.key?.name}: ${lane.stop.message}`;
  }

  /** Reason why the run stops, once all keys have stopped. */
  get stop(): Error | undefined {
    const stops = this.all.flatMap(({ stop }) => (stop === undefined ? [] : [stop]));
    return stops.length === this.all.length ? shownStop(stops) : undefined;
  }

  clear(): void {
    for (const { queue } of this.all) queue.clear();
  }

  /** Resolves when all queues are empty. Requests may move between queues until then. */
  async idle(): Promise<void> {
    while (this.waiting > 0) await Promise.all(this.all.map(({ queue }) => queue.onIdle()));
  }
}
