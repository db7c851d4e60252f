/** Exit codes of the command line. */
export const EXIT = { complete: 0, failed: 1, usage: 2, partial: 3, paused: 75 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Base class of expected errors. The message says what happened, why, and what to do. It never
 * contains the key.
 */
export abstract class TrendlakeError extends Error {
  /** True if the same call may succeed later. */
  abstract readonly transient: boolean;
  /** Exit code of the command line. */
  abstract readonly exitCode: ExitCode;
  override get name(): string {
    return this.constructor.name;
  }
  /** Name for programs, such as `usage` or `quota-spent`. */
  get code(): string {
    return this.name
      .replace(/Error$/, '')
      .replace(/(?<=.)[A-Z]/g, '-$&')
      .toLowerCase();
  }
}

/** An invalid command, flag, setting or path. Nothing was changed. */
export class UsageError extends TrendlakeError {
  readonly transient = false;
  readonly exitCode = EXIT.usage;
}

/** The lake cannot be opened or written: foreign, newer, damaged, locked, disk full. */
export class LakeError extends TrendlakeError {
  readonly transient: boolean;
  readonly exitCode: ExitCode;
  constructor(
    message: string,
    options: { cause?: unknown; transient?: boolean; exitCode?: ExitCode } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.transient = options.transient ?? false;
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** A start was stopped. Nothing was changed. */
export class StoppedError extends TrendlakeError {
  readonly transient = true;
  readonly exitCode = EXIT.paused;
}

/** True if work was stopped by the signal and did not fail. */
export const isStop = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted &&
  (error === signal.reason ||
    error instanceof StoppedError ||
    (error instanceof Error && error.name === 'AbortError'));

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** EDQUOT on Linux, which Node does not name. */
const QUOTA_OF_DISK = -122;

/** Explains a full disk; undefined for other errors. */
export const fullDiskOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EDQUOT' || errno === QUOTA_OF_DISK
    ? "this user's share of the disk is used up"
    : undefined;
};
