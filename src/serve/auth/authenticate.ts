import type { MiddlewareHandler } from 'hono';
import { isBusy } from '../../lake/exclusive.ts';
import { noteKey } from '../access-log.ts';
import type { ServiceContext, ServiceEnv } from '../context.ts';
import { problemResponse, RefusedError } from '../problems.ts';
import { limiter, type Standing } from './limits.ts';

/** What describes the interface: answered without a key, so a key that is sent needs no scope for it. */
export const DOCUMENT_PATH = '/v1/openapi.json';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="trendlake"' };
const LONGEST_KEY = 512;

const keyIn = (header: string | undefined): string | RefusedError => {
  if (header === undefined || header.trim() === '')
    return new RefusedError(
      'missing-key',
      'Every request carries the header `Authorization: Bearer <key>`; this one has no Authorization header.',
      { headers: CHALLENGE },
    );
  const match = /^Bearer +(\S+)\s*$/i.exec(header);
  if (match === null || header.length > LONGEST_KEY)
    return new RefusedError(
      'missing-key',
      'The Authorization header holds no key: expected `Authorization: Bearer <key>`.',
      { headers: CHALLENGE },
    );
  return match[1] as string;
};

const unknownKey = (): RefusedError =>
  new RefusedError(
    'unknown-key',
    'This key is not known here, or was revoked. Keys are made by the operator: `trendlake keys create`.',
    { headers: CHALLENGE },
  );

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: lists of strings
 * with parameters q (quota), w (window, s), r (remaining), t (seconds until more comes free).
 */
const rateLimitHeaders = (standing: Standing): Record<string, string> => ({
  'ratelimit-policy': `"minute";q=${standing.ratePerMinute};w=60, "month";q=${standing.callsPerMonth};w=${seconds(standing.monthMs)}`,
  ratelimit: `"minute";r=${standing.minuteLeft};t=${seconds(standing.minuteResetsMs)}, "month";r=${standing.monthLeft};t=${seconds(standing.monthResetsMs)}`,
});

const refusalOf = (standing: Standing): RefusedError | undefined => {
  if (standing.refusal === null) return undefined;
  const minute = standing.refusal === 'rate-limited';
  const monthMs = minute ? 0 : standing.monthResetsMs;
  const minuteMs = standing.minuteLeft === 0 ? standing.minuteResetsMs : 0;
  const wait = Math.max(1, seconds(Math.max(monthMs, minuteMs)));
  return new RefusedError(
    standing.refusal,
    minute
      ? `This key may send ${standing.ratePerMinute} requests in any 60 seconds, refused ones included. Try again in ${wait} s.`
      : `The ${standing.callsPerMonth} calls of this calendar month (UTC) are used up. Try again in the next, in ${wait} s.`,
    { headers: { 'retry-after': String(wait) } },
  );
};

const mayDo = (standing: Standing, method: string, path: string): RefusedError | undefined => {
  if (path === DOCUMENT_PATH) return undefined;
  const scope = path.startsWith('/v1/lab/')
    ? 'lab'
    : path.startsWith('/v1/webhooks')
      ? 'webhooks'
      : 'read';
  if (standing.scopes.includes(scope)) return undefined;
  return new RefusedError(
    'forbidden',
    `${method} ${path} needs the scope \`${scope}\`; this key has ${standing.scopes.map((name) => `\`${name}\``).join(', ')}. Ask the operator for a key with that scope.`,
  );
};

/** A request at the door: headers that tell what is left of its key, and why it may not enter. */
export interface Admission {
  readonly headers: Readonly<Record<string, string>>;
  readonly standing?: Standing;
  readonly refusal?: RefusedError;
}

/**
 * Counts a request by its key, whatever its answer will be, and says whether it may enter.
 * @throws (rejects) when the count could not be written; then nothing was counted
 */
export type Admit = (
  authorization: string | undefined,
  method: string,
  path: string,
) => Promise<Admission>;

interface Waiting {
  readonly key: string;
  readonly counted: (standing: Standing | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Another process may write the keys' database for a moment; some two seconds in all. */
const MOST_TRIES = 30;
const BETWEEN_TRIES_MS = 20;

/**
 * Counts requests by their keys, those that the process reads in one turn of its loop together: what
 * a commit costs, they share. While another process writes, those that come meanwhile join them.
 */
const countTogether = ({
  service,
  clock,
}: Pick<ServiceContext, 'service' | 'clock'>): ((key: string) => Promise<Standing | undefined>) => {
  const count = limiter(service);
  let waiting: Waiting[] = [];
  const countWaiting = (tried: number): void => {
    const together = waiting;
    try {
      const standings = count(
        together.map(({ key }) => key),
        clock.now(),
      );
      waiting = [];
      for (const [index, { counted }] of together.entries()) counted(standings[index]);
    } catch (error) {
      if (isBusy(error) && tried + 1 < MOST_TRIES) {
        setTimeout(countWaiting, BETWEEN_TRIES_MS, tried + 1);
        return;
      }
      waiting = [];
      for (const { failed } of together) failed(error);
    }
  };
  return (key) =>
    new Promise((counted, failed) => {
      if (waiting.push({ key, counted, failed }) === 1) setImmediate(countWaiting, 0);
    });
};

/** The door of one service. */
export const doorOf = (context: Pick<ServiceContext, 'service' | 'clock'>): Admit => {
  const count = countTogether(context);
  return async (authorization, method, path) => {
    const key = keyIn(authorization);
    if (key instanceof RefusedError) return { headers: {}, refusal: key };
    const standing = await count(key);
    if (standing === undefined) return { headers: {}, refusal: unknownKey() };
    const refusal = refusalOf(standing) ?? mayDo(standing, method, path);
    const headers = rateLimitHeaders(standing);
    return refusal === undefined ? { headers, standing } : { headers, standing, refusal };
  };
};

/** Lets pass what the door admits. Every answer to an authenticated request tells what is left. */
export const authenticate =
  (admit: Admit): MiddlewareHandler<ServiceEnv> =>
  async (c, next) => {
    const { headers, standing, refusal } = await admit(
      c.req.header('authorization'),
      c.req.method,
      c.req.path,
    );
    for (const [name, value] of Object.entries(headers)) c.env.outgoing.setHeader(name, value);
    if (standing !== undefined) {
      c.set('standing', standing);
      noteKey(c.env.outgoing, standing.id);
    }
    if (refusal !== undefined) return problemResponse(refusal);
    await next();
  };
