import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { RefusedError } from './problems.ts';

/** So many requests without a key are answered at once, and so many a second from then on. */
const BURST = 50;
const PER_SECOND = 100;
/** None waits longer. */
const LONGEST_MS = 5 * SECOND_MS;

const INTERVAL_MS = SECOND_MS / PER_SECOND;

/**
 * Paces what is answered without a key: pages, and refusals of keys that are unknown. A client that asks
 * over hundreds of connections as fast as responses come waits for each, and keyed requests do not wait
 * behind it.
 */
export class KeylessPace {
  readonly #machine: Pick<Clock, 'monotonic' | 'sleep'>;
  #nextAt = Number.NEGATIVE_INFINITY; // monotonic ms; when a further one may be answered

  constructor(machine: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#machine = machine;
  }

  /** Resolves to true when it is this request's turn, to false after the longest wait where that will not come. */
  async turn(): Promise<boolean> {
    const now = this.#machine.monotonic();
    const at = Math.max(this.#nextAt, now - BURST * INTERVAL_MS) + INTERVAL_MS;
    const isInTime = at <= now + LONGEST_MS;
    if (isInTime) this.#nextAt = at;
    if (at > now) await this.#machine.sleep(Math.min(at - now, LONGEST_MS));
    return isInTime;
  }

  /** As `turn`. @throws (rejects) RefusedError where it will not come */
  async waitForTurn(): Promise<void> {
    if (await this.turn()) return;
    throw new RefusedError(
      'unavailable',
      `Too many requests without a key: this one waited ${LONGEST_MS / SECOND_MS} s. Send a key, or try again later.`,
      { headers: { 'retry-after': String(LONGEST_MS / SECOND_MS) } },
    );
  }
}
