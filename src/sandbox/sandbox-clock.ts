import type { Clock } from '../base/clock.ts';

/** The time a sandbox lives in. */
export interface SandboxTime {
  /** Unix ms. */
  now(): number;
  /** Moves to `at`, never back; from there it goes on as before, or stands still again. */
  advanceTo(at: number): void;
}

/**
 * Without `at` it shows `clock`'s own time. With `at` (Unix ms) it stands still there. With `speed`
 * it runs that many times as fast as `clock`, from `at` or from now.
 */
export class SandboxClock implements SandboxTime {
  readonly #clock: Clock;
  /** Start, in this time and in that of the clock; undefined: it follows the clock. */
  readonly #began:
    | { readonly at: number; readonly mono: number; readonly speed: number }
    | undefined;
  #leapMs = 0;

  constructor(
    clock: Clock,
    { at, speed }: { at?: number | undefined; speed?: number | undefined },
  ) {
    this.#clock = clock;
    const isOwn = at !== undefined || (speed !== undefined && speed !== 1);
    this.#began = isOwn
      ? { at: at ?? clock.now(), mono: clock.monotonic(), speed: speed ?? 0 }
      : undefined;
  }

  now(): number {
    if (this.#began === undefined) return this.#clock.now() + this.#leapMs;
    const { at, mono, speed } = this.#began;
    return Math.floor(at + (this.#clock.monotonic() - mono) * speed) + this.#leapMs;
  }

  advanceTo(target: number): void {
    this.#leapMs += Math.max(0, target - this.now());
  }
}
