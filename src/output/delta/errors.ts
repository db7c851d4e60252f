import { EXIT, TrendlakeError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';

/** The published tables or their store cannot be read or written. */
export class TablesError extends TrendlakeError {
  readonly transient: boolean;
  readonly exitCode = EXIT.failed;
  constructor(message: string, options: { cause?: unknown; transient?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.transient = options.transient ?? false;
  }
}

/** A file differs from the manifest, because an export ran meanwhile. */
export class ReplacedFileError extends TablesError {
  constructor(path: string) {
    super(
      `${path} is not the file that the manifest names. An export may have replaced it just now: publish again. If that does not help, \`${commandText('export --full')}\` writes every file again.`,
      { transient: true },
    );
  }
}
