import { EXIT, TrendlakeError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';

/** The published tables, or the store they are in, cannot be read or written as they should. */
export class TablesError extends TrendlakeError {
  readonly transient: boolean;
  readonly exitCode = EXIT.failed;
  constructor(message: string, options: { cause?: unknown; transient?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.transient = options.transient ?? false;
  }
}

/** A file is not the one that the manifest names any more: an export ran meanwhile. */
export class ReplacedFileError extends TablesError {
  constructor(path: string) {
    super(
      `${path} is not the file that the manifest names. An export may have replaced it just now: publish again; if that does not help, \`${commandText('export --full')}\` writes every file again.`,
      { transient: true },
    );
  }
}
