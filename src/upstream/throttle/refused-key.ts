import { ClockAheadError, KeyBarredError, KeyRefusedError } from '../errors.ts';
import type { PlannedCall } from './ledger.ts';

/** The name that stands for every job, since no job has an empty one. */
const EVERY_JOB = '';

/** Refusals of one key: of all it asks for (401), or of one job (403). */
export class RefusedKey {
  readonly #refusals = new Map<string, KeyRefusedError>();

  /** Remembers an error that says so of the key. */
  note(job: string, error: unknown): void {
    if (!(error instanceof KeyRefusedError)) return;
    const isOfAll = error.status === 401 || error instanceof ClockAheadError;
    this.#refusals.set(isOfAll ? EVERY_JOB : job, error);
  }

  /**
   * Throws where a run's call would be refused like one before it. A call by hand is let through: the
   * key may have been mended since.
   */
  bar({ runId, job }: PlannedCall): void {
    const refusal = this.#refusals.get(EVERY_JOB) ?? this.#refusals.get(job);
    if (runId !== null && refusal !== undefined) throw new KeyBarredError(refusal);
  }
}
