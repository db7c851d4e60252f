import { EXIT, type ExitCode, TrendlakeError } from '../base/errors.ts';

/** A failed call. `status` is null without a response. */
export abstract class CallError extends TrendlakeError {
  readonly exitCode: ExitCode = EXIT.failed;
  readonly status: number | null;
  constructor(message: string, status: number | null, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
  }
}

/** No complete response: unreachable, timed out, reset, cut or too large. */
export class NoResponseError extends CallError {
  readonly transient: boolean = true;
  constructor(message: string, status: number | null = null, cause?: unknown) {
    super(message, status, cause);
  }
}

/** No connection: name unknown, refused or unreachable. Nothing was sent. */
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

/** This clock is so far ahead that its rows would hide all older ones. */
export class ClockAheadError extends KeyRefusedError {}

/** A call that was not made because its key had been refused before. */
export class KeyBarredError extends KeyRefusedError {
  constructor({ message, status }: KeyRefusedError) {
    super(message, status);
  }
}

/** A refusal: 4xx of this request, 5xx for now. */
export class RequestRefusedError extends CallError {
  readonly transient: boolean;
  constructor(message: string, status: number) {
    super(message, status);
    this.transient = status >= 500 || status === 408 || status === 425;
  }
}

/** An undocumented, changed or missing field or shape. */
export interface Drift {
  resource: string;
  field: string;
  sample: unknown;
}

/** A response of status 200 that cannot be read: not JSON, cut, or of an unknown shape. */
export class UnreadableResponseError extends CallError {
  /** A cut or garbled body may be whole the next time; an unknown shape will not change. */
  readonly transient: boolean;
  /** The unknown shape, if that is the reason. */
  drift: Drift | undefined;
  constructor(message: string, status: number, transient: boolean, cause?: unknown) {
    super(message, status, cause);
    this.transient = transient;
  }
}
