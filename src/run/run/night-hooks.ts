import { changedFiles, runAfterSync, type TouchedFiles, touchedFiles } from './after-sync.ts';
import type { Background } from './background.ts';
import { Heartbeat } from './heartbeat.ts';
import type { NoticeDeps } from './report-notices.ts';
import type { RunSummary } from './run-summary.ts';

type HookDeps = Pick<NoticeDeps, 'lake' | 'config' | 'env' | 'signal' | 'warn'> & {
  /** Runs hooks beside the next runs. Default: waits for them. */
  readonly hooks?: Background;
};

/** `TRENDLAKE_HEARTBEAT` and `TRENDLAKE_AFTER_SYNC` of one night. Its functions never throw. */
export class NightHooks {
  readonly #deps: HookDeps;
  readonly #heartbeat: Heartbeat | undefined;
  #before: TouchedFiles = new Map();
  #changed: readonly string[] = [];

  constructor(deps: HookDeps) {
    this.#deps = deps;
    const { config, signal, warn } = deps;
    const { heartbeat, proxy } = config;
    this.#heartbeat =
      heartbeat === undefined ? undefined : new Heartbeat({ heartbeat, proxy, signal, warn });
  }

  /** Call when a run starts. */
  start(): void {
    if (this.#heartbeat?.isStarted === true) return;
    this.#heartbeat?.start();
    this.#before = this.#touched();
  }

  /** Call when all changes of the night are made, and before they are exported. */
  noteChanges(): void {
    this.#changed = changedFiles(this.#before, this.#touched());
  }

  #touched(): TouchedFiles {
    const { lake, config } = this.#deps;
    return config.afterSync === undefined ? new Map() : touchedFiles(lake);
  }

  /** Call when the sync failed with an error. */
  async failed(): Promise<void> {
    if (this.#deps.signal.aborted || this.#heartbeat?.isStarted !== true) return;
    await this.#run(() => this.#beat('fail'));
  }

  /** Call when the night ended. */
  async end(
    runs: readonly RunSummary[],
    chores: readonly { readonly end: { readonly ok: boolean } }[],
  ): Promise<void> {
    if (runs.length === 0 || this.#deps.signal.aborted) return;
    const outcomes = runs.map(({ outcome }) => outcome);
    const isComplete = outcomes.every((outcome) => outcome === 'complete');
    const hasFailed =
      outcomes.some((outcome) => outcome === 'failed' || outcome === 'partial') ||
      chores.some(({ end }) => !end.ok);
    const run = runs.findLast(({ outcome }) => outcome === 'complete');
    const changed = this.#changed;
    await this.#run(async () => {
      if (hasFailed) await this.#beat('fail');
      else if (isComplete) await this.#beat('success');
      const { config, ...deps } = this.#deps;
      if (config.afterSync !== undefined && run !== undefined)
        await runAfterSync(config.afterSync, { run, changed }, deps);
    });
  }

  async #beat(beat: 'success' | 'fail'): Promise<void> {
    await this.#heartbeat?.end(beat);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    const { hooks } = this.#deps;
    if (hooks === undefined) await work();
    else hooks.queue(work);
  }
}
