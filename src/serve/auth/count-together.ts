import type { Clock } from '../../base/clock.ts';
import { isBusy } from '../../lake/exclusive.ts';
import type { RequestCounter } from '../../lake/keys/key-store.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';

interface Waiting {
  readonly hash: string;
  readonly route: string;
  readonly counted: (standing: KeyStanding | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Another process may write the keys' database for a moment; some two seconds in all. */
const MOST_TRIES = 30;
const BETWEEN_TRIES_MS = 20;

/** The times of counting: the one limits are told in, and the one of the machine, to wait by. */
export interface CountingClocks {
  readonly clock: Pick<Clock, 'now'>;
  readonly machine: Pick<Clock, 'sleep'>;
}

/**
 * Counts requests by their keys, those that the process reads in one turn of its loop together: what
 * a commit costs, they share. While another process writes, those that come meanwhile join them.
 */
export class CountTogether {
  readonly #counter: RequestCounter;
  readonly #clocks: CountingClocks;
  #waiting: Waiting[] = [];
  /** True while those that came together are being counted elsewhere. */
  #isCounting = false;

  constructor(counter: RequestCounter, clocks: CountingClocks) {
    this.#counter = counter;
    this.#clocks = clocks;
  }

  /** Where the key of this hash stands after one more request of a route; undefined without such a key. */
  count(hash: string, route: string): Promise<KeyStanding | undefined> {
    return new Promise((counted, failed) => {
      const isFirst = this.#waiting.push({ hash, route, counted, failed }) === 1;
      if (isFirst && !this.#isCounting) setImmediate(() => void this.#countWaiting(0));
    });
  }

  async #countWaiting(tried: number): Promise<void> {
    const together = this.#waiting;
    const hashes = together.map(({ hash }) => hash);
    const routes = together.map(({ route }) => route);
    try {
      const counted = this.#counter.count(hashes, this.#clocks.clock.now(), routes);
      this.#waiting = []; // what comes from now on is counted after them
      if (!(counted instanceof Promise)) return this.#tell(together, counted);
      this.#isCounting = true;
      this.#tell(together, await counted);
    } catch (error) {
      if (isBusy(error) && tried + 1 < MOST_TRIES) {
        void this.#clocks.machine.sleep(BETWEEN_TRIES_MS).then(() => this.#countWaiting(tried + 1));
        return;
      }
      if (this.#waiting === together) this.#waiting = [];
      for (const { failed } of together) failed(error);
    } finally {
      if (this.#isCounting) {
        this.#isCounting = false;
        if (this.#waiting.length > 0) setImmediate(() => void this.#countWaiting(0));
      }
    }
  }

  #tell(together: readonly Waiting[], standings: readonly (KeyStanding | undefined)[]): void {
    for (const [index, { counted }] of together.entries()) counted(standings[index]);
  }
}
