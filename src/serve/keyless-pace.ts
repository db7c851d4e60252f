import type { Clock } from '../clock.ts';
import { SECOND_MS } from '../durations.ts';

/** So many responses without a key leave at once, and so many a second from then on. */
const BURST = 50;
const PER_SECOND = 100;
/** No response waits longer. */
const LONGEST_MS = 5 * SECOND_MS;

const INTERVAL_MS = SECOND_MS / PER_SECOND;

/**
 * Paces what is answered without a key: pages, and refusals of keys that are none. Whoever asks over
 * hundreds of connections as fast as answers come then waits for each, and those with a key do not
 * wait behind them.
 */
export class KeylessPace {
  readonly #machine: Pick<Clock, 'monotonic' | 'sleep'>;
  #nextAt = Number.NEGATIVE_INFINITY; // monotonic ms; when a further one may leave

  constructor(machine: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#machine = machine;
  }

  /** Resolves when one more answer may leave. */
  async turn(): Promise<void> {
    const now = this.#machine.monotonic();
    const from = Math.max(this.#nextAt, now - BURST * INTERVAL_MS);
    this.#nextAt = Math.min(from + INTERVAL_MS, now + LONGEST_MS);
    if (this.#nextAt > now) await this.#machine.sleep(this.#nextAt - now);
  }
}
