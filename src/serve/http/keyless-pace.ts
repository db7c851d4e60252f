import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { unavailable } from './problems.ts';

/** Requests without a key: burst, then rate per second. */
const BURST = 50;
const PER_SECOND = 100;
const LONGEST_MS = 5 * SECOND_MS;

const INTERVAL_MS = SECOND_MS / PER_SECOND;

/** Limits the rate of responses without a valid key, so that requests with a key do not wait behind them. */
export class KeylessPace {
  readonly #machine: Pick<Clock, 'monotonic' | 'sleep'>;
  #nextAt = Number.NEGATIVE_INFINITY; // monotonic ms

  constructor(machine: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#machine = machine;
  }

  /** Resolves when the request may run. @throws RefusedError after the longest wait */
  async turn(): Promise<void> {
    const now = this.#machine.monotonic();
    const at = Math.max(this.#nextAt, now - BURST * INTERVAL_MS) + INTERVAL_MS;
    const isInTime = at <= now + LONGEST_MS;
    if (isInTime) this.#nextAt = at;
    if (at > now) await this.#machine.sleep(Math.min(at - now, LONGEST_MS));
    if (isInTime) return;
    throw unavailable(
      `Too many requests without a key: this one waited ${LONGEST_MS / SECOND_MS} s. Send a key, or try again later.`,
      LONGEST_MS,
    );
  }
}
