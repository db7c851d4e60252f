import type { Clock } from '../../clock.ts';
import { isBusy } from '../../lake/exclusive.ts';
import type { Limiter, Standing } from './limits.ts';

interface Waiting {
  readonly hash: string;
  readonly route: string;
  readonly counted: (standing: Standing | undefined) => void;
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
  readonly #limiter: Limiter;
  readonly #clocks: CountingClocks;
  #waiting: Waiting[] = [];

  constructor(limiter: Limiter, clocks: CountingClocks) {
    this.#limiter = limiter;
    this.#clocks = clocks;
  }

  /** Where the key of this hash stands after one more request of a route; undefined without such a key. */
  count(hash: string, route: string): Promise<Standing | undefined> {
    return new Promise((counted, failed) => {
      const isFirst = this.#waiting.push({ hash, route, counted, failed }) === 1;
      if (isFirst) setImmediate(() => this.#countWaiting(0));
    });
  }

  #countWaiting(tried: number): void {
    const together = this.#waiting;
    try {
      const hashes = together.map(({ hash }) => hash);
      const routes = together.map(({ route }) => route);
      const standings = this.#limiter.count(hashes, this.#clocks.clock.now(), routes);
      this.#waiting = [];
      for (const [index, { counted }] of together.entries()) counted(standings[index]);
    } catch (error) {
      if (isBusy(error) && tried + 1 < MOST_TRIES) {
        void this.#clocks.machine.sleep(BETWEEN_TRIES_MS).then(() => this.#countWaiting(tried + 1));
        return;
      }
      this.#waiting = [];
      for (const { failed } of together) failed(error);
    }
  }
}
