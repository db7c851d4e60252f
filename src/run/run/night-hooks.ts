import { childEnvironment } from '../../base/child-environment.ts';
import { MINUTE_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { runShellCommand } from '../../base/shell-command.ts';
import { rowsChanged } from '../../ingest/writers/tally.ts';
import { prepare } from '../../lake/prepare.ts';
import { PARQUET_TABLES } from '../../output/parquet/parquet-tables.ts';
import { partitionOf, pathOf } from '../../output/parquet/partitions.ts';
import type { Background } from './background.ts';
import { sendBeat } from './heartbeat.ts';
import type { RunDeps } from './run-deps.ts';
import type { RunSummary } from './run-summary.ts';

/** Longest time of the command. */
const TIMEOUT_MS = 10 * MINUTE_MS;
/** Linux starts no command with a variable of more than 128 KiB. */
const LONGEST_VARIABLE = 100_000;

/** Whole lines of a variable, as many as fit. */
const lines = (all: readonly string[]): string => {
  const text = all.join('\n');
  if (text.length <= LONGEST_VARIABLE) return text;
  return text.slice(0, text.lastIndexOf('\n', LONGEST_VARIABLE));
};

/**
 * Runs `TRENDLAKE_AFTER_SYNC` after a complete run. The command gets the run's id, rows and changed
 * partitions in its environment, and as JSON on its input. Never throws; it has a timeout.
 */
export const runAfterSync = async (
  command: Secret,
  { run, changed }: { readonly run: RunSummary; readonly changed: readonly string[] },
  deps: {
    readonly env: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
    warn(sentence: string): void;
  },
): Promise<void> => {
  const { env, signal, timeoutMs = TIMEOUT_MS, warn } = deps;
  const deadline = AbortSignal.timeout(timeoutMs);
  const rows = rowsChanged(run.rows);
  try {
    await runShellCommand(command.reveal(), {
      input: JSON.stringify({ runId: run.runId, rows, partitions: changed }),
      env: {
        ...childEnvironment(env),
        TRENDLAKE_RUN_ID: String(run.runId),
        TRENDLAKE_RUN_ROWS: String(rows),
        TRENDLAKE_CHANGED_PARTITIONS: lines(changed),
      },
      signal: AbortSignal.any([signal, deadline]),
    });
  } catch (error) {
    if (signal.aborted) return;
    const why = deadline.aborted
      ? `it took longer than ${timeoutMs / 1000} s and was ended`
      : messageOf(error).replaceAll(command.reveal(), '[hidden]');
    warn(`TRENDLAKE_AFTER_SYNC failed after run ${run.runId}: ${why}. The run is not affected.`);
  }
};

export interface HookDeps extends Pick<RunDeps, 'lake' | 'config' | 'signal'> {
  env: NodeJS.ProcessEnv;
  /** Runs hooks beside the next runs. Default: waits for them. */
  hooks?: Background;
  warn(sentence: string): void;
}

/** `TRENDLAKE_HEARTBEAT` and `TRENDLAKE_AFTER_SYNC` of one night. Its functions never throw. */
export class NightHooks {
  readonly #deps: HookDeps;
  /** Resolves when the start is reported; undefined: no run started. */
  #started: Promise<void> | undefined;
  #before: ReadonlyMap<string, number> = new Map();
  #changed: readonly string[] = [];

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  /** Call when a run starts. Only the first start of the night counts. */
  start(): void {
    if (this.#started !== undefined) return;
    this.#started = this.#send('start');
    this.#before = this.#touchedFiles();
  }

  /** Call when all changes of the night are made, and before they are exported. */
  noteChanges(): void {
    this.#changed = [...this.#touchedFiles()].flatMap(([path, version]) =>
      this.#before.get(path) === version ? [] : [path],
    );
  }

  /** Partitions that differ from their Parquet file, by path, with a version that rises. */
  #touchedFiles(): ReadonlyMap<string, number> {
    const { lake, config } = this.#deps;
    if (config.afterSync === undefined) return new Map();
    const rows = prepare(
      lake.sqlite,
      'select table_name, date, version from touched_partitions order by 1, 2',
      ['text', 'text', 'number'],
    ).all();
    return new Map(
      rows.flatMap(([table, mark, version]): [string, number][] => {
        const partition = partitionOf(lake.sqlite, PARQUET_TABLES, table, mark);
        return partition === undefined ? [] : [[pathOf(partition), version]];
      }),
    );
  }

  /** Call when the sync failed with an error. */
  async failed(): Promise<void> {
    if (this.#started !== undefined) await this.#run(() => this.#send('fail'));
  }

  /** Call when the night ended. */
  async end(
    runs: readonly RunSummary[],
    chores: readonly { readonly end: { readonly ok: boolean } }[],
  ): Promise<void> {
    if (runs.length === 0) return;
    const outcomes = runs.map(({ outcome }) => outcome);
    const hasFailed =
      outcomes.some((outcome) => outcome === 'failed' || outcome === 'partial') ||
      chores.some(({ end }) => !end.ok);
    const isComplete = outcomes.every((outcome) => outcome === 'complete');
    const run = runs.findLast(({ outcome }) => outcome === 'complete');
    const changed = this.#changed;
    await this.#run(async () => {
      if (hasFailed) await this.#send('fail');
      else if (isComplete) await this.#send('success');
      const { config, ...deps } = this.#deps;
      if (config.afterSync !== undefined && run !== undefined)
        await runAfterSync(config.afterSync, { run, changed }, deps);
    });
  }

  /** Sends the end after a start that is still on its way. */
  async #send(beat: 'start' | 'success' | 'fail'): Promise<void> {
    const { config, signal, warn } = this.#deps;
    const { heartbeat, proxy } = config;
    if (beat !== 'start') await this.#started;
    if (heartbeat !== undefined) await sendBeat(beat, { heartbeat, proxy, signal, warn });
  }

  async #run(work: () => Promise<void>): Promise<void> {
    const { hooks, signal } = this.#deps;
    if (signal.aborted) return;
    if (hooks === undefined) await work();
    else hooks.queue(work);
  }
}
