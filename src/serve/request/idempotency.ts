import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../base/durations.ts';
import { invalidParameters } from '../http/problems.ts';

/** A response that is sent again for the same `Idempotency-Key`. */
interface KeptResponse {
  /** Hash of the address and the body. */
  readonly of: string;
  readonly response: Promise<{ status: number; headers: [string, string][]; body: string }>;
}

/** A POST, the id of its sender's key, and its `Idempotency-Key`. */
interface KeyedRequest {
  readonly key: string | undefined;
  readonly sender: string;
  readonly path: string;
}

const MOST_KEPT = 10_000;
const KEY = /^[!-~]{1,255}$/;

const refused = (detail: string) => invalidParameters([{ parameter: 'Idempotency-Key', detail }]);

const copyOf = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers],
  body: await response.text(),
});

/** Responses to POST requests with an `Idempotency-Key`, kept in memory for a day. */
export class IdempotentResponses {
  readonly #kept: LRUCache<string, KeptResponse>;

  constructor(now: () => number) {
    const time = { ttl: DAY_MS, ttlResolution: 0, perf: { now } };
    this.#kept = new LRUCache({ max: MOST_KEPT, ...time });
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
    if (before !== undefined && before.of !== of)
      throw refused('It was used with another request. Use a new key for a new request.');
    const response = before?.response ?? Promise.resolve(work()).then(copyOf);
    if (before === undefined) {
      this.#kept.set(name, { of, response });
      response.catch(() => this.#kept.delete(name)); // a refused request can be corrected
    }
    const { status, body: text, headers } = await response;
    const sent = new Response(text, { status, headers });
    if (before !== undefined) sent.headers.set('idempotency-replayed', 'true');
    return sent;
  }
}
