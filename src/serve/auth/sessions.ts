import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../base/durations.ts';

/** How long a session lasts. */
export const SESSION_MS = 4 * HOUR_MS;

/** Sessions kept at most, and those of one key; the ones used longest ago go first. */
const SESSIONS_MOST = 10_000;
const MOST_OF_A_KEY = 20;

interface Session {
  /** Of the key it was opened with: what is counted, and what it ends with. */
  readonly keyHash: string;
  readonly until: number; // Unix ms, exclusive
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * Who has signed in to the pages. A session stands for its key: each request of it is counted by that
 * key, and it opens nothing once the key was revoked. In memory alone, so none outlives the process.
 */
export class Sessions {
  readonly #byToken = new LRUCache<string, Session>({ max: SESSIONS_MOST });

  /** Opens a session of a key; the token is in no log and kept as a hash. */
  open(keyHash: string, now: number): string {
    const ofKey = [...this.#byToken.entries()].filter(([, of]) => of.keyHash === keyHash);
    for (const [hash] of ofKey.slice(MOST_OF_A_KEY - 1)) this.#byToken.delete(hash);
    const token = randomBytes(32).toString('base64url');
    this.#byToken.set(hashOf(token), { keyHash, until: now + SESSION_MS });
    return token;
  }

  /** The hash of the key that a token stands for; undefined once it is over. */
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
