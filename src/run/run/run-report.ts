import type { Log } from '../../base/log.ts';
import type { DecodedResponse } from '../../upstream/decode/decode.ts';
import type { RunSummary } from './run-summary.ts';

interface LoadedCall {
  runId: number;
  job: string;
  item: string;
  callId: number;
  status: number;
  attempt: number;
  ms: number;
  /** Inserted or updated rows. */
  rows: number;
}

/** Maximum number of fields per log line. */
const MOST_LOGGED = 100;

const LEVEL = { complete: 'info', partial: 'warn', paused: 'warn', failed: 'error' } as const;

/**
 * Logs a loaded response, its rejected items and fields that drifted.
 * @param drifted fields that are logged already; gets the others
 */
export const logLoaded = (
  log: Log,
  call: LoadedCall,
  { rejected, drift }: DecodedResponse,
  drifted: Set<string>,
): void => {
  log.debug({ ...call, outcome: 'ok' }, 'response loaded');
  const { runId, job, item, callId } = call;
  const fields = { runId, job, item, callId };
  if (rejected.length > 0) {
    const reasons = [...new Set(rejected.map(({ reason }) => reason))];
    log.warn({ ...fields, rejected: rejected.length, reasons }, 'items rejected');
  }
  const names = new Set(drift.map(({ resource, field }) => `${resource}: ${field}`));
  const unseen = [...names].filter((name) => !drifted.has(name));
  for (const name of unseen) drifted.add(name);
  if (unseen.length > 0)
    log.warn({ ...fields, drift: unseen.slice(0, MOST_LOGGED), of: unseen.length }, 'drift');
};

export const logEnd = (log: Log, summary: RunSummary): void => {
  const { runId, outcome, calls, items, rejected, reason, resumesAt, quota } = summary;
  const { sent, failed } = calls;
  const fields = { runId, outcome, calls: { sent, failed }, items, rejected, resumesAt, reason };
  log[LEVEL[outcome]]({ ...fields, quotaLeft: quota.remaining }, `run ${runId} ${outcome}`);
};
