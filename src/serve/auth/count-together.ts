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
  /** True while a batch is gathered or counted. */
  #isCounting = false;

  constructor(counter: RequestCounter, clocks: CountingClocks) {
    this.#counter = counter;
    this.#clocks = clocks;
  }

  /** Counts one request. @returns the limits left; undefined for an unknown key */
  count(hash: string, route: string): Promise<KeyStanding | undefined> {
    return new Promise((counted, failed) => {
      this.#waiting.push({ hash, route, counted, failed });
      if (this.#isCounting) return;
      this.#isCounting = true;
      setImmediate(() => void this.#countWaiting());
    });
  }

  async #countWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = []; // later requests form the next batch
      try {
        const standings = await this.#countBatch(batch);
        for (const [index, { counted }] of batch.entries()) counted(standings[index]);
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#isCounting = false;
  }

  async #countBatch(batch: readonly Waiting[]): Promise<readonly (KeyStanding | undefined)[]> {
    const hashes = batch.map(({ hash }) => hash);
    const routes = batch.map(({ route }) => route);
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#counter.count(hashes, this.#clocks.clock.now(), routes);
      } catch (error) {
        if (!isBusy(error) || tried === MOST_TRIES) throw error;
        await this.#clocks.machine.sleep(BETWEEN_TRIES_MS);
      }
    }
  }
}
