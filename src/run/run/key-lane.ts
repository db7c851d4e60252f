import PQueue from 'p-queue';
import type { ApiClient } from '../../upstream/client.ts';
import { KeyRefusedError } from '../../upstream/errors.ts';
import { QuotaSpentError, ServiceDownError } from '../../upstream/throttle/errors.ts';
import { type KeysConfig, keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { Ledger } from '../../upstream/throttle/ledger.ts';
import type { Throttle } from '../../upstream/throttle/throttle.ts';

/** A key of a run, and the way to its service. */
export interface RunKey extends OwnKey {
  readonly client: ApiClient;
}

/** The keys of a run: those given, or the one of its settings. */
export const runKeys = (deps: {
  readonly config: KeysConfig;
  readonly client: ApiClient;
  readonly keys?: readonly RunKey[];
}): readonly RunKey[] =>
  deps.keys ?? keysOf({ ...deps.config, keys: [] }).map((key) => ({ ...key, client: deps.client }));

/** True for an error that ends what one key can do and tells nothing of the others. */
export const isOfKey = (error: Error): boolean =>
  (error instanceof QuotaSpentError && error.resumesAt !== null) ||
  error instanceof ServiceDownError ||
  (error instanceof KeyRefusedError && error.status === 401);

/** What one key does in a run: its requests wait in a line of their own, beside those of other keys. */
export class KeyLane {
  readonly key: RunKey;
  readonly ledger: Ledger;
  readonly throttle: Throttle;
  /** Jobs that the key may not ask for, and what the service told of it. */
  readonly forbidden = new Map<string, string>();
  /** Why nothing more is asked with it in this run. */
  stop: Error | undefined;
  readonly #queue: PQueue;

  constructor(
    key: RunKey,
    { ledger, throttle }: { ledger: Ledger; throttle: Throttle },
    concurrency: number,
  ) {
    this.key = key;
    this.ledger = ledger;
    this.throttle = throttle;
    this.#queue = new PQueue({ concurrency });
  }

  /** Requests that wait or are under way. */
  get waiting(): number {
    return this.#queue.size + this.#queue.pending;
  }

  /** Minutes until it has made what it was dealt and one more, by its pace. */
  get minutesAhead(): number {
    return (this.waiting + 1) / this.key.ratePerMinute;
  }

  add(work: () => Promise<void>): void {
    void this.#queue.add(work);
  }

  clear(): void {
    this.#queue.clear();
  }

  idle(): Promise<void> {
    return this.#queue.onIdle();
  }
}
