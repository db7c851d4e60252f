import { childEnvironment } from '../../base/child-environment.ts';
import { MINUTE_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { runShellCommand } from '../../base/shell-command.ts';
import { rowsChanged } from '../../ingest/writers/tally.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { PARQUET_TABLES } from '../../output/parquet/parquet-tables.ts';
import { partitionOf, pathOf } from '../../output/parquet/partitions.ts';
import type { RunSummary } from './run-summary.ts';

/** Longest time of the command. */
const TIMEOUT_MS = 10 * MINUTE_MS;
/** Linux starts no command with a variable of more than 128 KiB. */
const LONGEST_VARIABLE = 100_000;

/** Partitions that differ from their Parquet file, by path, with a version that rises. */
export type TouchedFiles = ReadonlyMap<string, number>;

export const touchedFiles = ({ sqlite }: Pick<Lake, 'sqlite'>): TouchedFiles =>
  new Map(
    prepare(sqlite, 'select table_name, date, version from touched_partitions order by 1, 2', [
      'text',
      'text',
      'number',
    ])
      .all()
      .flatMap(([table, mark, version]): [string, number][] => {
        const partition = partitionOf(sqlite, PARQUET_TABLES, table, mark);
        return partition === undefined ? [] : [[pathOf(partition), version]];
      }),
  );

/** Paths of partitions that changed between two readings. */
export const changedFiles = (before: TouchedFiles, after: TouchedFiles): string[] =>
  [...after].flatMap(([path, version]) => (before.get(path) === version ? [] : [path]));

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
