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

/** Retries while another process writes the keys' database, for about 2 s. */
const MOST_TRIES = 30;
const BETWEEN_TRIES_MS = 20;

export interface CountingClocks {
  /** Time of limits. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time, for waits. */
  readonly machine: Pick<Clock, 'sleep'>;
}

/** Counts requests of keys in batches: one commit for all requests of one turn of the event loop. */
export class CountTogether {
  readonly #counter: RequestCounter;
  readonly #clocks: CountingClocks;
  #waiting: Waiting[] = [];
  /** True while another process or machine counts a batch. */
  #isCounting = false;

  constructor(counter: RequestCounter, clocks: CountingClocks) {
    this.#counter = counter;
    this.#clocks = clocks;
  }

  /** Counts one request. @returns the limits left; undefined for an unknown key */
  count(hash: string, route: string): Promise<KeyStanding | undefined> {
    return new Promise((counted, failed) => {
      const isFirst = this.#waiting.push({ hash, route, counted, failed }) === 1;
      if (isFirst && !this.#isCounting) setImmediate(() => void this.#countWaiting(0));
    });
  }

  async #countWaiting(tried: number): Promise<void> {
    const batch = this.#waiting;
    const hashes = batch.map(({ hash }) => hash);
    const routes = batch.map(({ route }) => route);
    try {
      const counted = this.#counter.count(hashes, this.#clocks.clock.now(), routes);
      this.#waiting = []; // later requests form the next batch
      if (!(counted instanceof Promise)) return this.#resolve(batch, counted);
      this.#isCounting = true;
      this.#resolve(batch, await counted);
    } catch (error) {
      if (isBusy(error) && tried + 1 < MOST_TRIES) {
        void this.#clocks.machine.sleep(BETWEEN_TRIES_MS).then(() => this.#countWaiting(tried + 1));
        return;
      }
      if (this.#waiting === batch) this.#waiting = [];
      for (const { failed } of batch) failed(error);
    } finally {
      if (this.#isCounting) {
        this.#isCounting = false;
        if (this.#waiting.length > 0) setImmediate(() => void this.#countWaiting(0));
      }
    }
  }

  #resolve(batch: readonly Waiting[], standings: readonly (KeyStanding | undefined)[]): void {
    for (const [index, { counted }] of batch.entries()) counted(standings[index]);
  }
}
