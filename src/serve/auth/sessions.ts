import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../base/durations.ts';

export const SESSION_MS = 4 * HOUR_MS;

/** Limits of sessions. The least recently used are dropped. */
const SESSIONS_MOST = 10_000;
const MOST_OF_A_KEY = 20;

interface Session {
  readonly keyHash: string;
  readonly until: number; // Unix ms, exclusive
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Sessions of the pages, in memory. A request of a session counts against its key and ends with the key. */
export class Sessions {
  readonly #byToken = new LRUCache<string, Session>({ max: SESSIONS_MOST });

  /** @returns a token, stored as a hash only */
  open(keyHash: string, now: number): string {
    const ofKey = [...this.#byToken.entries()].filter(([, session]) => session.keyHash === keyHash);
    for (const [hash] of ofKey.slice(MOST_OF_A_KEY - 1)) this.#byToken.delete(hash);
    const token = randomBytes(32).toString('base64url');
    this.#byToken.set(hashOf(token), { keyHash, until: now + SESSION_MS });
    return token;
  }

  /** Undefined for expired and unknown tokens. */
  keyHashOf(token: string, now: number): string | undefined {
    const session = this.#byToken.get(hashOf(token));
    if (session === undefined || now < session.until) return session?.keyHash;
    this.end(token);
    return undefined;
  }

  end(token: string): void {
    this.#byToken.delete(hashOf(token));
  }
}
