import type { UpstreamSettings } from '../base/config/upstream-settings.ts';
import { DAY_MS, HOUR_MS } from '../base/durations.ts';
import { isObject } from '../base/json-object.ts';
import { retryAfterMs } from '../base/retry-after.ts';
import { withoutControls } from '../base/wire/fields.ts';
import type { RawResponse } from './client.ts';
import {
  type CallError,
  KeyRefusedError,
  RateLimitedError,
  RequestRefusedError,
} from './errors.ts';

const LONGEST_WAIT_MS = 32 * DAY_MS; // a month; longer hints are mistakes

/**
 * Milliseconds that a response asks to wait. A date is compared with the `Date` of the response, because
 * our clock may be wrong. Null without a usable hint, or if it is longer than a month.
 */
export const askedWaitMs = (
  headers: Readonly<Record<string, string>>,
  now: number,
): number | null => {
  const sentAt = Date.parse(headers.date ?? '');
  const waitMs = retryAfterMs(headers['retry-after'], Number.isNaN(sentAt) ? now : sentAt);
  return waitMs !== null && waitMs <= LONGEST_WAIT_MS ? waitMs : null;
};

const nestedMessage = (error: unknown): unknown => (isObject(error) ? error.message : error);

/**
 * The `detail` of a problem document as the end of our sentence, or a full stop. Nothing else of the body is
 * shown.
 */
const detailOf = (response: RawResponse): string => {
  const text = response.body.toString('utf8', 0, 2000);
  try {
    const body: unknown = JSON.parse(text);
    const stated = isObject(body)
      ? (body.detail ?? body.title ?? body.message ?? nestedMessage(body.error))
      : undefined;
    const words = typeof stated === 'string' ? withoutControls(stated.slice(0, 300)) : '';
    if (words !== '') return `: ${words}${/[.!?]$/.test(words) ? '' : '.'}`;
  } catch {
    // not JSON: its status says enough
  }
  return '.';
};

/** Messages of nginx, Go and Apache about plain HTTP on a port for TLS. */
const EXPECTS_TLS =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i;

const SPENT_STATUSES = [402];

/** Pause after a spent quota, if the service does not say when it is free again. */
const SPENT_PAUSE_MS = HOUR_MS;

const LIMIT = '(?:quota|credits?|balance|allowance|calls?|requests?|usage|funds)';
const SPENT = '(?:exceed|exhaust|spent|used.?up|deplet|reached|insufficient|out.of|no.more)';
const SAYS_SPENT = new RegExp(`${LIMIT}[^.]{0,60}${SPENT}|${SPENT}[^.]{0,60}${LIMIT}`, 'i');

/** True if a response that is not a 429 says that the quota of the key is spent. */
const isSpent = ({ status, body }: RawResponse, spentStatuses: readonly number[]): boolean =>
  spentStatuses.includes(status) ||
  (status === 403 && SAYS_SPENT.test(body.toString('utf8', 0, 2000)));

/**
 * Returns the error of a response, or undefined for 200 and 202.
 * @param keyEnv variable that holds the key
 */
export const judge = (
  response: RawResponse,
  now: number,
  keyEnv = 'TRENDLAKE_API_KEY',
  { spentStatuses = SPENT_STATUSES }: Pick<UpstreamSettings, 'spentStatuses'> = {},
): CallError | undefined => {
  const { status, headers } = response;
  if (status === 200 || status === 202) return undefined;
  const detail = detailOf(response);
  if (isSpent(response, spentStatuses))
    return new RateLimitedError(
      `The service answered ${status}: the quota or the balance of the key is spent${detail}`,
      status,
      Math.max(askedWaitMs(headers, now) ?? 0, SPENT_PAUSE_MS),
    );
  if (status === 429 || status === 503) {
    const waitMs = askedWaitMs(headers, now);
    const hint = waitMs === null ? '' : ` (asks to wait ${Math.ceil(waitMs / 1000)} s)`;
    return new RateLimitedError(`The service answered ${status}${hint}${detail}`, status, waitMs);
  }
  if (status === 401)
    return new KeyRefusedError(
      `The service does not accept the key (401)${detail} Check ${keyEnv}.`,
      status,
    );
  if (status === 403)
    return new KeyRefusedError(
      `The service does not let this key ask for this (403)${detail} Check the key's plan and scopes.`,
      status,
    );
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return new RequestRefusedError(
      `The service redirects to ${headers.location.slice(0, 200)} (${status}); redirects are not followed, so that the key stays with the base URL. Check TRENDLAKE_BASE_URL.`,
      status,
    );
  if (status === 400 && EXPECTS_TLS.test(response.body.toString('latin1', 0, 2000)))
    return new RequestRefusedError(
      'The port speaks TLS, and the call came without (400). TRENDLAKE_BASE_URL must begin with https://.',
      status,
    );
  return new RequestRefusedError(`The service answered ${status}${detail}`, status);
};
