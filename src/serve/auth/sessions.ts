import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../durations.ts';

/** How long a session lasts. */
export const SESSION_MS = 4 * HOUR_MS;

/** Sessions kept at most; those used longest ago go first. */
const SESSIONS_MOST = 10_000;

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
