/** Exit codes of the command line. */
export const EXIT = { complete: 0, failed: 1, usage: 2, partial: 3, paused: 75 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Every error trendlake raises on purpose. Its message says what happened, where, what was expected
 * and what was got, and what to do. It never holds the key.
 */
export abstract class TrendlakeError extends Error {
  /** True: the same call may succeed if made again later. */
  abstract readonly transient: boolean;
  /** What the command line exits with when nobody catches it. */
  abstract readonly exitCode: ExitCode;
  override get name(): string {
    return this.constructor.name;
  }
  /** The same for programs: the name in lower case, such as `usage` or `quota-spent`. */
  get code(): string {
    return this.name
      .replace(/Error$/, '')
      .replace(/(?<=.)[A-Z]/g, '-$&')
      .toLowerCase();
  }
}

/** A command, flag, setting or path that cannot be right. Nothing was done. */
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

/** A start was cut short by whoever asked to stop. Nothing was done, and nothing is left behind. */
export class StoppedError extends TrendlakeError {
  readonly transient = true;
  readonly exitCode = EXIT.paused;
}

/** Whether an error only says that the signal asked to stop: the work is cut off, not failed. */
export const isStop = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted &&
  (error === signal.reason ||
    error instanceof StoppedError ||
    (error instanceof Error && error.name === 'AbortError'));

/** What an unknown thrown value says of itself. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Linux's number for "this user's share of the disk is used up", which Node has no name for. */
const QUOTA_OF_DISK = -122;

/** What the file system's refusal means where it is one of room, in words; undefined for all others. */
export const fullDiskOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const { code, errno } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EDQUOT' || errno === QUOTA_OF_DISK
    ? "this user's share of the disk is used up"
    : undefined;
};
