import { EXIT, TrendlakeError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { type CallError, RateLimitedError, UnreachableError } from '../errors.ts';
import { PATIENCE_MS } from './circuit.ts';

/** No call may leave for now. Not a failure: the run pauses and goes on at `resumesAt`. */
export abstract class PausedError extends TrendlakeError {
  readonly transient: boolean = false;
  readonly exitCode = EXIT.paused;
  /** Unix ms; null when it is up to the user. */
  readonly resumesAt: number | null;
  constructor(message: string, resumesAt: number | null, options: { cause?: unknown } = {}) {
    super(message, options);
    this.resumesAt = resumesAt;
  }
}

/** Calls are used up for now. */
export class QuotaSpentError extends PausedError {
  constructor(what: string, resumesAt: number | null) {
    const again = resumesAt === null ? '' : ` Calls are free again at ${isoOf(resumesAt)}.`;
    super(`${what}${again}`, resumesAt);
  }
}

/** Spending of a key is unknown, because the key is not set here. */
export class KeyUnsetError extends PausedError {
  constructor(name: string) {
    super(
      `Key ${name} is not set here: the shared ledger knows keys by their hash alone, so nobody knows what is spent with it. Set the variable that its keyEnv names.`,
      null,
    );
  }
}

/** The service has not answered several calls in a row: more would be wasted. */
export class ServiceDownError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
}

/** Error that ends the calls of a key after failures in a row. `last`: the newest one. */
export const lostError = (
  last: CallError | undefined,
  failures: number,
  now: number,
): QuotaSpentError | ServiceDownError => {
  const why = last?.message ?? '';
  if (last instanceof RateLimitedError)
    return new QuotaSpentError(
      `The service has turned away ${failures} calls in a row. Last: ${why}`,
      now + PATIENCE_MS,
    );
  const noun = last instanceof UnreachableError ? 'attempts to connect' : 'calls';
  return new ServiceDownError(
    `The service has not answered ${failures} ${noun} in a row. Last: ${why} Check TRENDLAKE_BASE_URL, or run again later.`,
  );
};
