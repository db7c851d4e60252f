import { isStop, TrendlakeError } from '../../base/errors.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';

/** Where the failures of a daemon are told. */
export interface FailureReport {
  /** Of what is tried again. */
  warn(sentence: string): void;
  /** Of what is not. */
  fail(sentence: string): void;
}

/** How a part of a daemon's work ended; `retry`: it may succeed if done again. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly retry: boolean };

/** Does a part of a daemon's work. `name`: what it is told under, such as `backup`. */
export type Attempting = <T>(name: string, work: () => Promise<T>) => Promise<Attempt<T>>;

/**
 * Does the parts of a daemon's work so that the failure of one is told and keeps nothing behind it
 * from being done. What is tried again and fails as before is not told again. That the signal stopped
 * it needs no word; once it is aborted nothing is begun.
 *
 * The work throws what is no error of ours, nor of the lake's file: a mistake in the program.
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
      const told = error instanceof TrendlakeError ? error : lakeErrorOf(error, lakePath);
      if (told === undefined) throw error;
      const sentence = `${name}: ${told.message}`;
      if (!told.transient) report.fail(sentence);
      else if (warned.get(name) !== sentence) report.warn(sentence);
      if (told.transient) warned.set(name, sentence);
      else warned.delete(name);
      return { ok: false, retry: told.transient };
    }
  };
};
