import type { Clock } from '../../base/clock.ts';
import { connectionFailure } from '../../base/connection-failure.ts';
import { EXIT, TrendlakeError } from '../../base/errors.ts';
import type { ProxySettings } from '../../base/proxy.ts';
import type { GuardedConnections, GuardOptions, Letter, Resolve } from './guarded-connections.ts';
import { ForbiddenTargetError } from './target.ts';

const MOST_READ_BYTES = 65_536;
const KEPT_CHARACTERS = 1024;
/** Longest wait for a response, headers and body. */
const ATTEMPT_TIMEOUT_MS = 15_000;

/** Result of one attempt. `status` is null without a response. */
export interface DeliveryAttempt {
  readonly at: number; // Unix ms
  readonly durationMs: number;
  readonly status: number | null;
  readonly retryAfter: string | null;
  /** The response, at most 1 KiB of the 64 KiB that are read. */
  readonly answer: string | null;
  /** Why it failed, in words; null when delivered. */
  readonly error: string | null;
}

/** Result of one post. */
type PostResult = Pick<DeliveryAttempt, 'status' | 'retryAfter' | 'answer' | 'error'>;

/** Posts letters. */
export interface Poster {
  post(letter: Letter, signal?: AbortSignal): Promise<DeliveryAttempt>;
}

/** Reads the start of a response. An endless response is cut. */
const readResponse = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MOST_READ_BYTES) break;
  }
  const read = Buffer.concat(parts).subarray(0, MOST_READ_BYTES);
  return read.toString('utf8').slice(0, KEPT_CHARACTERS);
};

/** Reason of a failed connection or response, without an address. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (cause instanceof ForbiddenTargetError || cause instanceof EndlessResponseError)
    return cause.message;
  const known = connectionFailure(cause);
  if (known !== undefined) return known;
  const code = String((cause as { code?: unknown }).code ?? '');
  return code === '' ? 'the connection failed' : `the connection failed (${code})`;
};

const failureOf = (status: number): string | null => {
  if (status >= 200 && status <= 299) return null;
  return status >= 300 && status <= 399
    ? `answered ${status}, a redirect; redirects are not followed: subscribe the final address`
    : `answered ${status}; only 200 to 299 count as received`;
};

/** Limit of informational responses (1xx) before the final one. */
const MOST_INFORMATIONAL = 20;

class EndlessResponseError extends TrendlakeError {
  readonly transient = true;
  readonly exitCode = EXIT.failed;
}

/** A signal that aborts after more informational responses than the limit. */
const endOfPatience = (): { signal: AbortSignal; onInfo: () => void } => {
  const ending = new AbortController();
  let count = 0;
  const onInfo = (): void => {
    count += 1;
    if (count > MOST_INFORMATIONAL)
      ending.abort(
        new EndlessResponseError(`it sent more than ${MOST_INFORMATIONAL} informational responses`),
      );
  };
  return { signal: ending.signal, onInfo };
};

/**
 * Posts letters over guarded connections, each over a new one that ends with its response: as many
 * sockets are open as attempts are under way. One poster for a sender's lifetime.
 */
export class HttpPoster implements Poster {
  readonly #clock: Clock;
  readonly #options: GuardOptions;
  #connections: GuardedConnections | undefined;

  /** @param resolve stands in for the system's resolver in tests */
  constructor({
    clock,
    timeoutMs = ATTEMPT_TIMEOUT_MS,
    resolve,
    proxy,
  }: {
    clock: Clock;
    timeoutMs?: number;
    resolve?: Resolve | undefined;
    proxy?: ProxySettings | undefined;
  }) {
    this.#clock = clock;
    this.#options = { timeoutMs, proxy, ...(resolve === undefined ? {} : { resolve }) };
  }

  async post(letter: Letter, signal?: AbortSignal): Promise<DeliveryAttempt> {
    const at = this.#clock.now();
    const startedAt = this.#clock.monotonic();
    const result = await this.#exchange(letter, signal);
    return { at, durationMs: Math.round(this.#clock.monotonic() - startedAt), ...result };
  }

  async #exchange(letter: Letter, signal: AbortSignal | undefined): Promise<PostResult> {
    const deadline = AbortSignal.timeout(this.#options.timeoutMs);
    const patience = endOfPatience();
    const signals = [deadline, patience.signal, ...(signal === undefined ? [] : [signal])];
    try {
      const connections = await this.#connected();
      const response = await connections.post(letter, {
        signal: AbortSignal.any(signals),
        onInfo: patience.onInfo,
      });
      const answer = await readResponse(response.body).catch(() => null); // the status has decided already
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        answer,
        error: failureOf(response.statusCode),
      };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const why = deadline.aborted
        ? `no response within ${this.#options.timeoutMs} ms`
        : reasonOf(patience.signal.aborted ? patience.signal.reason : error);
      return { status: null, retryAfter: null, answer: null, error: why };
    }
  }

  /** Loads undici with the first letter: most services post none, and it takes a tenth of a start. */
  async #connected(): Promise<GuardedConnections> {
    const { GuardedConnections } = await import('./guarded-connections.ts');
    this.#connections ??= new GuardedConnections(this.#options);
    return this.#connections;
  }

  async close(): Promise<void> {
    await this.#connections?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
