import type { VirtualClock } from '../../base/clock.ts';
import { exportedIn, liveNight, type NightDeps } from '../../run/run/night.ts';
import type { RunSummary } from '../../run/run/run-summary.ts';
import type { SandboxTime } from '../sandbox-clock.ts';

/** Result of one night. */
export interface LivedNight {
  readonly at: number;
  readonly run: RunSummary;
  readonly exported: ReturnType<typeof exportedIn>;
}

interface NightsDeps extends Omit<NightDeps, 'clock' | 'onProgress'> {
  /** Clock of the pipeline; moves from night to night. */
  readonly clock: VirtualClock;
  /** The service's time; stands still during each night. */
  readonly serviceClock: SandboxTime;
}

/**
 * Lives through nights (Unix ms, rising), each as the daemon would make it. Ends early, after yielding
 * it, with a night that was not complete or partial.
 */
export async function* nights(
  instants: readonly number[],
  { serviceClock, ...deps }: NightsDeps,
): AsyncGenerator<LivedNight> {
  for (const at of instants) {
    deps.clock.advanceTo(at);
    serviceClock.advanceTo(at);
    const night = await liveNight(deps);
    const run = night.runs.at(-1);
    if (run === undefined) return;
    yield { at, run, exported: exportedIn(night) };
    if (run.outcome !== 'complete' && run.outcome !== 'partial') return;
  }
}
