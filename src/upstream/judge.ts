import { DAY_MS } from '../base/durations.ts';
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
 * How long a response asks to wait; a date is judged by the response's own `Date`, so that our clock may
 * be wrong. Null where it gives no usable hint, or one longer than a month.
 */
export const askedWaitMs = (
  headers: Readonly<Record<string, string>>,
  now: number,
): number | null => {
  const sentAt = Date.parse(headers.date ?? '');
  const waitMs = retryAfterMs(headers['retry-after'], Number.isNaN(sentAt) ? now : sentAt);
  return waitMs !== null && waitMs <= LONGEST_WAIT_MS ? waitMs : null;
};

/**
 * What a problem document says went wrong, the service's own sentence and nothing else of a body, as
 * the end of a sentence; else its full stop.
 */
const detailOf = (response: RawResponse): string => {
  const text = response.body.toString('utf8', 0, 2000);
  try {
    const body: unknown = JSON.parse(text);
    const stated = isObject(body)
      ? (body.detail ?? body.title ?? body.message ?? body.error)
      : undefined;
    const words = typeof stated === 'string' ? withoutControls(stated.slice(0, 300)) : '';
    if (words !== '') return `: ${words}${/[.!?]$/.test(words) ? '' : '.'}`;
  } catch {
    // not JSON: its status says enough
  }
  return '.';
};

/** What nginx, Go and Apache say where plain HTTP comes to their port for TLS. */
const EXPECTS_TLS =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL/i;

/** The error that a response's status stands for, or undefined for 200; `keyEnv` held its key. */
export const judge = (
  response: RawResponse,
  now: number,
  keyEnv = 'TRENDLAKE_API_KEY',
): CallError | undefined => {
  const { status, headers } = response;
  if (status === 200) return undefined;
  const detail = detailOf(response);
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
