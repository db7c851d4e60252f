import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The only source of time. Everything that waits or stamps is handed one.
 */
export interface Clock {
  /** Wall time, Unix milliseconds. May be stepped by an operator. */
  now(): number;
  /** Milliseconds that only ever grow, for measuring spans. */
  monotonic(): number;
  /**
   * Names the span of time, such as this boot of the machine, in which `monotonic()` of all processes
   * may be compared. Undefined where the machine does not tell.
   */
  readonly boot?: string | undefined;
  /** Resolves after `ms`, or rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** This boot and this time namespace (a container may have its own), where the machine tells. */
const thisBoot = (): string | undefined => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/time')}`;
  } catch {
    return undefined;
  }
};

/** The machine's clock. Its monotonic time is the machine's too: one for all processes of a boot. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  boot: thisBoot(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/**
 * A clock that moves only when told to, or by whoever sleeps on it: it jumps instead of waiting. With it
 * a fortnight of paced calls takes seconds and keeps its pace in its own time.
 */
export class VirtualClock implements Clock {
  #at: number;

  /** @param startAt Unix milliseconds */
  constructor(startAt: number) {
    this.#at = startAt;
  }

  now(): number {
    return Math.floor(this.#at); // instants are whole milliseconds, whatever was waited
  }

  monotonic(): number {
    return this.#at; // so that the spans of two virtual clocks can be compared
  }

  /** Moves to `at`; never back. */
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

/** A virtual clock that starts at `startAt` (Unix milliseconds). */
export const virtualClock = (startAt: number): VirtualClock => new VirtualClock(startAt);
