import { MINUTE_MS, SECOND_MS } from '../../base/durations.ts';

/** A wait longer than this ends a run instead of being slept through. */
export const PATIENCE_MS = 15 * MINUTE_MS;

const FAILURES_TO_OPEN = 5;
const FAILURES_AT_FIRST = 4;
const PROBE_EVERY_MS = MINUTE_MS;

/**
 * Circuit breaker over the calls of one run. It opens after five failures in a row: then
 * one call a minute probes. Until anything was answered it is not yet known, so calls go one
 * at a time, and four failures are enough: a misspelt address fails within seconds.
 */
export class Circuit {
  #answered = false;
  #failuresInARow = 0;
  #failingSince = 0;

  /** The number of failures since the last response. */
  get failuresInARow(): number {
    return this.#failuresInARow;
  }

  /** True after any response. An unreadable response is then the fault of its page only. */
  get hasAnswered(): boolean {
    return this.#answered;
  }

  succeeded(): void {
    this.#answered = true;
    this.#failuresInARow = 0;
  }

  /** Notes a failure that may pass; `reached` when it shows that the service is there. */
  failed(mono: number, reached: boolean): void {
    if (this.#failuresInARow === 0) this.#failingSince = mono;
    this.#failuresInARow += 1;
    if (reached) this.#answered = true;
  }

  get isOpen(): boolean {
    return this.#failuresInARow >= FAILURES_TO_OPEN;
  }

  /** True while calls leave one at a time, each waiting for the one before. */
  get isSingleFile(): boolean {
    return !this.#answered || this.isOpen;
  }

  /** Wait of all calls after the last failure, given the backoff of its retry. */
  restMs(backoffMs: number): number {
    if (this.isOpen) return PROBE_EVERY_MS;
    return this.#answered ? 0 : backoffMs;
  }

  /** True when further calls would only be wasted. */
  isLost(mono: number): boolean {
    if (!this.#answered) return this.#failuresInARow >= FAILURES_AT_FIRST;
    return this.isOpen && mono - this.#failingSince > PATIENCE_MS;
  }
}

/** The wait before trying again for the `failures`-th time: 0.5 to 1.5 s, doubling up to a minute. */
export const backoffMs = (failures: number, random: number): number =>
  Math.min(MINUTE_MS, 2 ** Math.min(failures, 8) * (SECOND_MS / 2) * (0.5 + random));
