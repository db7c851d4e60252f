import type { Clock } from '../clock.ts';

/** The time a sandbox lives in. */
export interface SandboxClock {
  /** Unix ms. */
  now(): number;
  /** Moves to `at`, never back; from there it goes on as before, or stands still again. */
  advanceTo(at: number): void;
}

/**
 * Without `at` it shows `clock`'s own time. With `at` (Unix ms) it stands still there. With `speed`
 * it runs that many times as fast as `clock`, from `at` or from now.
 */
export const sandboxClock = (
  clock: Clock,
  { at, speed }: { at?: number | undefined; speed?: number | undefined },
): SandboxClock => {
  let leapMs = 0;
  if (at === undefined && (speed === undefined || speed === 1))
    return {
      now: () => clock.now() + leapMs,
      advanceTo: (target) => {
        leapMs = Math.max(leapMs, target - clock.now());
      },
    };
  const startAt = at ?? clock.now();
  const startMs = clock.monotonic();
  const now = () => Math.floor(startAt + (clock.monotonic() - startMs) * (speed ?? 0)) + leapMs;
  return {
    now,
    advanceTo: (target) => {
      leapMs += Math.max(0, target - now());
    },
  };
};
