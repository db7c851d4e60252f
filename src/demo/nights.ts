import type { VirtualClock } from '../clock.ts';
import { exportLake } from '../export/export-lake.ts';
import { afterSync } from '../runner/after-sync.ts';
import type { Job } from '../runner/job.ts';
import type { RunDeps, RunSummary } from '../runner/run.ts';
import { sync } from '../runner/sync.ts';
import type { SandboxClock } from '../sandbox/sandbox-clock.ts';

/** What one night did. */
export interface Night {
  readonly at: number;
  readonly run: RunSummary;
  readonly exported: { readonly files: number; readonly rows: number };
}

interface NightDeps extends Omit<RunDeps, 'clock' | 'onProgress'> {
  /** The pipeline's own time; moves to each night in turn. */
  readonly clock: VirtualClock;
  /** The service's time; stands still during each night. */
  readonly serviceClock: SandboxClock;
}

/**
 * Lives through nights (Unix ms, rising): at each one a sync of `jobs` and an export, as the daemon
 * would make them. Ends early, after yielding it, with a night that was not complete or partial.
 */
export async function* nights(
  instants: readonly number[],
  deps: NightDeps,
  allJobs: readonly Job[],
): AsyncGenerator<Night> {
  for (const at of instants) {
    deps.clock.advanceTo(at);
    deps.serviceClock.advanceTo(at);
    const run = (await sync(deps, allJobs)).at(-1);
    if (run === undefined) return;
    await afterSync(deps.lake, deps.config, deps);
    const { files, rows } = await exportLake(deps.lake, { clock: deps.clock });
    yield { at, run, exported: { files, rows } };
    if (run.outcome !== 'complete' && run.outcome !== 'partial') return;
  }
}
