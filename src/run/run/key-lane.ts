import PQueue from 'p-queue';
import type { ApiClient } from '../../upstream/client.ts';
import { KeyRefusedError } from '../../upstream/errors.ts';
import { QuotaSpentError, ServiceDownError } from '../../upstream/throttle/errors.ts';
import { type KeysConfig, keysOf, type OwnKey } from '../../upstream/throttle/key-limits.ts';
import type { Ledger } from '../../upstream/throttle/ledger.ts';
import type { Throttle } from '../../upstream/throttle/throttle.ts';

export interface RunKey extends OwnKey {
  readonly client: ApiClient;
}

/** Given keys, or the key of the settings. */
export const runKeys = (deps: {
  readonly config: KeysConfig;
  readonly client: ApiClient;
  readonly keys?: readonly RunKey[];
}): readonly RunKey[] =>
  deps.keys ?? keysOf({ ...deps.config, keys: [] }).map((key) => ({ ...key, client: deps.client }));

/** True for an error that stops one key but not the others. */
export const isOfKey = (error: Error): boolean =>
  (error instanceof QuotaSpentError && error.resumesAt !== null) ||
  error instanceof ServiceDownError ||
  (error instanceof KeyRefusedError && error.status === 401);

/** One key of a run, with a queue of requests. */
export class KeyLane {
  readonly key: RunKey;
  readonly ledger: Ledger;
  readonly throttle: Throttle;
  /** Jobs that the key may not call, with the service's message. */
  readonly forbidden = new Map<string, string>();
  /** Reason why the key makes no more calls in this run. */
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

  /** Queued and running requests. */
  get waiting(): number {
    return this.#queue.size + this.#queue.pending;
  }

  /** Minutes to finish its queue and one more request, at its rate. */
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
