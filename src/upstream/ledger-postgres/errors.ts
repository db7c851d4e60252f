import { EXIT, type ExitCode, TrendlakeError } from '../../base/errors.ts';
import { PausedError } from '../throttle/errors.ts';

/** The shared ledger cannot be reached. What is not counted is not sent: the run pauses. */
export class LedgerAwayError extends PausedError {
  override readonly transient = true;
}

/** The shared ledger cannot be used as it is: not made yet, foreign, newer, or not ours to write. */
export class LedgerError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode: ExitCode = EXIT.failed;
}
