import type { VirtualClock } from '../../base/clock.ts';
import { liveNight, type NightDeps } from '../../run/run/night.ts';
import type { RunSummary } from '../../run/run/run-summary.ts';
import type { SandboxTime } from '../sandbox-clock.ts';

/** Result of one night. */
export interface LivedNight {
  readonly at: number;
  readonly run: RunSummary;
  readonly exported: { readonly files: number; readonly rows: number };
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
    const { runs, chores } = await liveNight(deps);
    const run = runs.at(-1);
    if (run === undefined) return;
    const end = chores.find(({ name }) => name === 'export')?.end;
    const { files = 0, rows = 0 } = end?.ok === true ? end.value : {};
    yield { at, run, exported: { files, rows } };
    if (run.outcome !== 'complete' && run.outcome !== 'partial') return;
  }
}
