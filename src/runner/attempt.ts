import { isStop, TrendlakeError } from '../errors.ts';
import { lakeErrorOf } from '../lake/explain-error.ts';

/** Where the failures of a daemon are told. */
export interface FailureReport {
  /** Of what is tried again. */
  warn(sentence: string): void;
  /** Of what is not. */
  fail(sentence: string): void;
}

/** How a part of a daemon's work ended. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly retry: boolean };

/**
 * Does a part of a daemon's work so that its failure is told and keeps nothing behind it from being
 * done. That the signal stopped it needs no word.
 * @param name what it is told under, such as `backup`
 * @throws what is no error of ours, nor of the lake's file: a mistake in the program
 */
export const attempt = async <T>(
  name: string,
  work: () => Promise<T>,
  { lakePath, signal, report }: { lakePath: string; signal: AbortSignal; report: FailureReport },
): Promise<Attempt<T>> => {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (isStop(error, signal)) return { ok: false, retry: false };
    const told = error instanceof TrendlakeError ? error : lakeErrorOf(error, lakePath);
    if (told === undefined) throw error;
    const tell = told.transient ? report.warn : report.fail;
    tell(`${name}: ${told.message}`);
    return { ok: false, retry: told.transient };
  }
};
