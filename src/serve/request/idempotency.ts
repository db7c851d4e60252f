import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../base/durations.ts';
import { invalidParameters } from '../http/problems.ts';

/** A response that is sent again for the same `Idempotency-Key`. */
interface KeptResponse {
  /** Hash of the address and the body. */
  readonly of: string;
  /** Unix ms. */
  readonly at: number;
  readonly response: Promise<{ status: number; headers: [string, string][]; body: string }>;
}

/** A POST, the id of its sender's key, and its `Idempotency-Key`. */
interface KeyedRequest {
  readonly key: string | undefined;
  readonly sender: string;
  readonly path: string;
}

const MOST_KEPT = 10_000;
const KEPT_MS = DAY_MS;
const KEY = /^[!-~]{1,255}$/;

const refused = (detail: string) => invalidParameters([{ parameter: 'Idempotency-Key', detail }]);

const copyOf = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers],
  body: await response.text(),
});

/** Responses to POST requests with an `Idempotency-Key`, kept in memory for a day. */
export class IdempotentResponses {
  readonly #kept = new LRUCache<string, KeptResponse>({ max: MOST_KEPT });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Does the work once for each key of the sender, and sends its response again.
   * @throws RefusedError for an invalid key, or one that was used with another body
   */
  async once(
    { key, sender, path }: KeyedRequest,
    body: unknown,
    work: () => Response | Promise<Response>,
  ): Promise<Response> {
    if (key === undefined) return work();
    if (!KEY.test(key)) throw refused('Expected 1 to 255 printable characters without blanks.');
    const name = `${sender} ${key}`;
    const of = hash('sha256', `${path} ${JSON.stringify(body)}`);
    const before = this.#kept.get(name);
    const isKept = before !== undefined && this.#now() - before.at < KEPT_MS;
    if (isKept && before.of !== of)
      throw refused('It was used with another request. Use a new key for a new request.');
    if (!isKept) {
      const response = Promise.resolve(work()).then(copyOf);
      this.#kept.set(name, { of, at: this.#now(), response });
      response.catch(() => this.#kept.delete(name)); // a refused request can be corrected
    }
    const kept = await this.#kept.get(name)?.response;
    if (kept === undefined) return work();
    const headers = new Headers(kept.headers);
    if (isKept) headers.set('idempotency-replayed', 'true');
    return new Response(kept.body, { status: kept.status, headers });
  }
}
