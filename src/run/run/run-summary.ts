import type { ItemState, RunOutcome } from '../../../schema/vocabulary.ts';
import type { LoadCounts } from '../../ingest/writers/tally.ts';
import type { CallCounts } from '../../upstream/throttle/throttle.ts';
import type { NewDrift } from './run-log.ts';

/** Limits of a key. `resetsAt`: when calls become available again. */
export interface KeyQuota {
  name: string;
  /** Reason why the key stopped in this run. */
  stopped?: string;
  minute: number;
  month: number;
  remaining: number | null;
  resetsAt: string | null;
}

/** Summary of a run, printed by `sync --json` with the export. Instants are ISO 8601. */
export interface RunSummary {
  runId: number;
  outcome: Exclude<RunOutcome, 'running'>;
  startedAt: string;
  finishedAt: string;
  calls: CallCounts & { byJob: Record<string, CallCounts> };
  rows: LoadCounts;
  rejected: number;
  /** Drift seen for the first time. */
  drift: NewDrift[];
  /** `remaining` is null if the ledger is unreachable. */
  quota: Omit<KeyQuota, 'name' | 'stopped'> & {
    /** Per key, if there are several. The other figures are totals. */
    keys?: KeyQuota[];
  };
  resumesAt: string | null;
  /** Reason why the run paused or failed; null: it did not. */
  reason: string | null;
  items: Record<ItemState, number>;
}
