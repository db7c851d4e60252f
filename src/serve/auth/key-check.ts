import type { Clock } from '../../base/clock.ts';
import { commandText } from '../../base/installation.ts';
import { isBusy } from '../../lake/exclusive.ts';
import type { KeyStore } from '../../lake/keys/key-store.ts';
import { hashOf } from '../../lake/keys/keys.ts';
import type { KeyStanding } from '../../lake/keys/limits.ts';
import { RefusedError } from '../http/problems.ts';

/** Needs no key, and no scope if a key is sent. */
export const DOCUMENT_PATH = '/v1/openapi.json';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="trendlake"' };
const LONGEST_KEY = 512;

const hashIn = (header: string | undefined): string | RefusedError => {
  if (header === undefined || header.trim() === '')
    return new RefusedError(
      'missing-key',
      'The Authorization header is missing. Send `Authorization: Bearer <key>` with every request.',
      { headers: CHALLENGE },
    );
  const match = /^Bearer +(\S+)\s*$/i.exec(header);
  if (match === null || header.length > LONGEST_KEY)
    return new RefusedError(
      'missing-key',
      'The Authorization header contains no key. Expected `Authorization: Bearer <key>`.',
      { headers: CHALLENGE },
    );
  return hashOf(match[1] as string);
};

const unknownKey = (): RefusedError =>
  new RefusedError(
    'unknown-key',
    `This key is unknown or was revoked. The operator can create one: \`${commandText('keys create')}\`.`,
    { headers: CHALLENGE },
  );

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/**
 * Headers of draft-ietf-httpapi-ratelimit-headers-10, with parameters q (quota), w (window, s),
 * r (remaining), t (seconds until it resets).
 */
const rateLimitHeaders = (standing: KeyStanding): Record<string, string> => ({
  'ratelimit-policy': `"minute";q=${standing.ratePerMinute};w=60, "month";q=${standing.callsPerMonth};w=${seconds(standing.monthMs)}`,
  ratelimit: `"minute";r=${standing.minuteLeft};t=${seconds(standing.minuteResetsMs)}, "month";r=${standing.monthLeft};t=${seconds(standing.monthResetsMs)}`,
});

const refusalOf = (standing: KeyStanding): RefusedError | undefined => {
  if (standing.refusal === null) return undefined;
  const minute = standing.refusal === 'rate-limited';
  const monthMs = minute ? 0 : standing.monthResetsMs;
  const minuteMs = standing.minuteLeft === 0 ? standing.minuteResetsMs : 0;
  const wait = Math.max(1, seconds(Math.max(monthMs, minuteMs)));
  return new RefusedError(
    standing.refusal,
    minute
      ? `The limit of this key is ${standing.ratePerMinute} requests in 60 s. Rejected requests count too. Try again in ${wait} s.`
      : `The key has used its ${standing.callsPerMonth} calls of this calendar month (UTC). The limit resets in ${wait} s.`,
    { headers: { 'retry-after': String(wait) } },
  );
};

const mayDo = (standing: KeyStanding, method: string, path: string): RefusedError | undefined => {
  if (path === DOCUMENT_PATH) return undefined;
  const scope = path.startsWith('/v1/lab/')
    ? 'lab'
    : path.startsWith('/v1/webhooks')
      ? 'webhooks'
      : path.startsWith('/v1/watches')
        ? 'watch'
        : 'read';
  if (standing.scopes.includes(scope)) return undefined;
  return new RefusedError(
    'forbidden',
    `${method} ${path} needs the scope \`${scope}\`; this key has ${standing.scopes.map((name) => `\`${name}\``).join(', ')}. Ask the operator for a key with that scope.`,
  );
};

export interface Admitted {
  /** Rate limit headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly standing?: KeyStanding;
  readonly refusal?: RefusedError;
}

export interface Caller {
  readonly authorization: string | undefined;
  /** Hash of the session's key, without an Authorization header. */
  readonly keyHash?: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** The pattern of a request's route. */
export type RouteOf = (method: string, path: string) => string;

/** Retries while another process writes the keys' database, for about 2 s. */
const MOST_TRIES = 100;
const BETWEEN_TRIES_MS = 20;

export interface KeyCheckDeps {
  readonly keys: Pick<KeyStore, 'count'>;
  readonly routeOf: RouteOf;
  /** Time of limits. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time, for waits. */
  readonly machine: Pick<Clock, 'sleep'>;
}

export class KeyCheck {
  readonly #deps: KeyCheckDeps;

  constructor(deps: KeyCheckDeps) {
    this.#deps = deps;
  }

  /**
   * Counts a request and checks its key, limits and scope.
   * @throws if the count could not be written
   */
  async admit({ authorization, keyHash, method, path }: Caller): Promise<Admitted> {
    const hash = keyHash ?? hashIn(authorization);
    if (hash instanceof RefusedError) return { headers: {}, refusal: hash };
    const standing = await this.#count(hash, this.#deps.routeOf(method, path));
    if (standing === undefined) return { headers: {}, refusal: unknownKey() };
    const refusal = refusalOf(standing) ?? mayDo(standing, method, path);
    const headers = rateLimitHeaders(standing);
    return refusal === undefined ? { headers, standing } : { headers, standing, refusal };
  }

  async #count(hash: string, route: string): Promise<KeyStanding | undefined> {
    const { keys, clock, machine } = this.#deps;
    for (let tried = 1; ; tried += 1) {
      try {
        return await keys.count(hash, clock.now(), route);
      } catch (error) {
        if (!isBusy(error) || tried === MOST_TRIES) throw error;
        await machine.sleep(BETWEEN_TRIES_MS);
      }
    }
  }
}
