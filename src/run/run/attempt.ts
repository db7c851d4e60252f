import { isStop, TrendlakeError } from '../../base/errors.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';

/** Receives failures of the daemon. */
export interface FailureReport {
  /** For failures that are retried. */
  warn(sentence: string): void;
  /** For final failures. */
  fail(sentence: string): void;
}

/** `retry`: the work may succeed later. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly retry: boolean };

/** `name`: the name of the work in messages, such as `backup`. */
export type Attempting = <T>(name: string, work: () => Promise<T>) => Promise<Attempt<T>>;

/**
 * Runs a part of the daemon's work and reports its failure without throwing. Repeated identical
 * failures are reported once. After an abort, no work starts and nothing is reported.
 * Programming errors are thrown: those that are neither a TrendlakeError nor an error of the lake's
 * file.
 */
export const attempting = ({
  lakePath,
  signal,
  report,
}: {
  lakePath: string;
  signal: AbortSignal;
  report: FailureReport;
}): Attempting => {
  const warned = new Map<string, string>();
  return async (name, work) => {
    if (signal.aborted) return { ok: false, retry: true };
    try {
      const value = await work();
      warned.delete(name);
      return { ok: true, value };
    } catch (error) {
      if (isStop(error, signal)) return { ok: false, retry: true };
      const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, lakePath);
      if (known === undefined) throw error;
      const sentence = `${name}: ${known.message}`;
      if (!known.transient) report.fail(sentence);
      else if (warned.get(name) !== sentence) report.warn(sentence);
      if (known.transient) warned.set(name, sentence);
      else warned.delete(name);
      return { ok: false, retry: known.transient };
    }
  };
};
