import { EXIT, type ExitCode, TrendlakeError } from '../base/errors.ts';

/** A call that did not give what was asked. `status` is null when no response came. */
export abstract class CallError extends TrendlakeError {
  readonly exitCode: ExitCode = EXIT.failed;
  readonly status: number | null;
  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

/** Nothing came back whole: unreachable, timed out, reset, cut, too large. */
export class NoResponseError extends CallError {
  readonly transient: boolean = true;
  constructor(message: string, status: number | null = null, cause?: unknown) {
    super(message, status, cause);
  }
}

/** Nobody was found: name unknown, refused, unreachable. No connection stood, so nothing was sent. */
export class UnreachableError extends NoResponseError {}

/** The proxy wants a password. Nothing was sent to the service, and no further call would be. */
export class ProxyRefusedError extends UnreachableError {
  override readonly transient = false;
}

/** The service asks to wait: 429 or 503. `retryAfterMs` is null when it does not say how long. */
export class RateLimitedError extends CallError {
  readonly transient = true;
  readonly retryAfterMs: number | null;
  constructor(message: string, status: number, retryAfterMs: number | null) {
    super(message, status);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The key is refused (401, 403). Every further call would be too. */
export class KeyRefusedError extends CallError {
  readonly transient = false;
}

/** This clock is so far ahead of the service's that rows with its time would hide everything older. */
export class ClockAheadError extends KeyRefusedError {}

/** A call that was not made because its key had been refused before. */
export class KeyBarredError extends KeyRefusedError {
  constructor({ message, status }: KeyRefusedError) {
    super(message, status);
  }
}

/** A response that says no: 4xx for this request, 5xx for now. */
export class RequestRefusedError extends CallError {
  readonly transient: boolean;
  constructor(message: string, status: number) {
    super(message, status);
    this.transient = status >= 500 || status === 408 || status === 425;
  }
}

/** A field or shape nobody announced, or one that came otherwise than announced, or not at all. */
export interface Drift {
  resource: string;
  field: string;
  sample: unknown;
}

/** A response of status 200 that cannot be read: not JSON, cut, or of a shape nobody knows. */
export class UnreadableResponseError extends CallError {
  /** A cut or garbled body may be whole the next time; an unknown shape will not change. */
  readonly transient: boolean;
  /** The shape nobody knows, where it is one. */
  drift: Drift | undefined;
  constructor(message: string, status: number, transient: boolean, cause?: unknown) {
    super(message, status, cause);
    this.transient = transient;
  }
}
