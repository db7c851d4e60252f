import type { RunOutcome } from '../../../schema/vocabulary.ts';
import type { LoadCounts } from '../../ingest/writers/tally.ts';
import type { NewDrift } from './run-log.ts';

/** What a key allows and has left. `resetsAt`: when the first calls come free again. */
export interface KeyQuota {
  name: string;
  /** Why nothing more was asked with it in this run, in words; only where something was the matter. */
  stopped?: string;
  minute: number;
  month: number;
  remaining: number | null;
  resetsAt: string | null;
}

/** What a run did, as `sync --json` prints it but for the export. Instants are ISO 8601. */
export interface RunSummary {
  runId: number;
  outcome: Exclude<RunOutcome, 'running'>;
  startedAt: string;
  finishedAt: string;
  calls: {
    sent: number;
    ok: number;
    failed: number;
    byJob: Record<string, { sent: number; ok: number; failed: number }>;
  };
  rows: LoadCounts;
  rejected: number;
  /** Drift that this run was the first to meet. */
  drift: NewDrift[];
  /** What is left is null where the ledger cannot be reached. */
  quota: Omit<KeyQuota, 'name' | 'stopped'> & {
    /** Each key's, where there are several; the figures beside it are of all together. */
    keys?: KeyQuota[];
  };
  resumesAt: string | null;
  /** Why the run paused or failed, in words; null when it did not. */
  reason: string | null;
  items: { planned: number; done: number; failed: number; skipped: number };
}
