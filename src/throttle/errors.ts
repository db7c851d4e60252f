import { EXIT, TrendlakeError } from '../errors.ts';
import { isoOf } from '../iso.ts';

/** Calls are used up for now. Not a failure: the run pauses and goes on at `resumesAt`. */
export class QuotaSpentError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.paused;
  /** Unix ms; null when it is up to the user. */
  readonly resumesAt: number | null;
  constructor(what: string, resumesAt: number | null) {
    super(resumesAt === null ? what : `${what} Calls are free again at ${isoOf(resumesAt)}.`);
    this.resumesAt = resumesAt;
  }
}

/** The service does not answer, and has not for several calls: asking on would waste calls. */
export class ServiceDownError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.failed;
}
