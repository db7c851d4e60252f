import type { Log } from '../../base/log.ts';
import type { DecodedResponse } from '../../upstream/decode/decode.ts';
import type { CallError } from '../../upstream/errors.ts';
import type { RunSummary } from './run-summary.ts';

interface LoadedCall {
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

/** Logs a run. Failed attempts are logged by the throttle. */
export class RunReport {
  readonly #log: Log;
  readonly #runId: number;
  /** Logged fields. Each is logged once per run, although it comes with every page. */
  readonly #drifted = new Set<string>();

  constructor(log: Log, runId: number) {
    this.#log = log;
    this.#runId = runId;
  }

  began(jobs: readonly string[], resumed: boolean): void {
    const verb = resumed ? 'resumed' : 'began';
    this.#log.info({ runId: this.#runId, jobs }, `run ${this.#runId} ${verb}`);
  }

  planned(job: string, items: number): void {
    this.#log.debug({ runId: this.#runId, job, items }, `${job} planned`);
  }

  loaded(call: LoadedCall, { rejected, drift }: DecodedResponse): void {
    const runId = this.#runId;
    this.#log.debug({ runId, ...call, outcome: 'ok' }, 'response loaded');
    const { job, item, callId } = call;
    if (rejected.length > 0) {
      const reasons = [...new Set(rejected.map(({ reason }) => reason))];
      const fields = { runId, job, item, callId, rejected: rejected.length, reasons };
      this.#log.warn(fields, 'items rejected');
    }
    const names = new Set(drift.map(({ resource, field }) => `${resource}: ${field}`));
    const unseen = [...names].filter((name) => !this.#drifted.has(name));
    for (const name of unseen) this.#drifted.add(name);
    if (unseen.length > 0)
      this.#log.warn(
        { runId, job, item, callId, drift: unseen.slice(0, MOST_LOGGED), of: unseen.length },
        'drift',
      );
  }

  gaveUp(job: string, item: string, state: 'failed' | 'skipped', error: CallError): void {
    const fields = { runId: this.#runId, job, item, outcome: state, status: error.status };
    if (state === 'failed') this.#log.error(fields, error.message);
    else this.#log.info(fields, error.message);
  }

  keyStopped(key: string, why: Error): void {
    this.#log.warn({ runId: this.#runId, key, error: why.name }, why.message);
  }

  ended({ runId, outcome, calls, items, rejected, reason, resumesAt, quota }: RunSummary): void {
    const { sent, failed } = calls;
    const fields = { runId, outcome, calls: { sent, failed }, items, rejected, resumesAt, reason };
    this.#log[LEVEL[outcome]]({ ...fields, quotaLeft: quota.remaining }, `run ${runId} ${outcome}`);
  }
}
