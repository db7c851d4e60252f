import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The only source of time. */
export interface Clock {
  /** Wall time, Unix milliseconds. An operator may change it. */
  now(): number;
  /** Milliseconds that never decrease, for measuring durations. */
  monotonic(): number;
  /**
   * Id of the period, such as this boot, in which `monotonic()` is comparable between processes.
   * Undefined if unknown.
   */
  readonly boot?: string | undefined;
  /** Resolves after `ms`, or rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This boot and time namespace, because a container may have another one. */
const thisBoot = (): string | undefined => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/time')}`;
  } catch {
    return undefined;
  }
};

/** The machine's clock. Its monotonic time is shared by all processes of a boot. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  boot: thisBoot(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/**
 * A clock for tests and demos. `sleep` advances it without waiting, so that two weeks of paced
 * calls take seconds.
 */
export class VirtualClock implements Clock {
  #at: number;

  /** @param startAt Unix milliseconds */
  constructor(startAt: number) {
    this.#at = startAt;
  }

  now(): number {
    return Math.floor(this.#at); // instants are whole milliseconds
  }

  monotonic(): number {
    return this.#at; // makes durations of two virtual clocks comparable
  }

  /** Never moves back. */
  advanceTo(at: number): void {
    this.#at = Math.max(this.#at, at);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wakeAt = this.#at + Math.max(0, ms);
    await delay(0); // lets responses in flight arrive before time moves
    signal?.throwIfAborted();
    this.#at = Math.max(this.#at, wakeAt);
  }
}

export const virtualClock = (startAt: number): VirtualClock => new VirtualClock(startAt);
