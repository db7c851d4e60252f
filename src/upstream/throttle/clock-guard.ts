import { clockSkewMs, noteClockSkew, REFUSED_SKEW_MS, skewText } from '../../lake/clock-skew.ts';
import type { Lake } from '../../lake/open.ts';
import type { RawResponse } from '../client.ts';
import { ClockAheadError } from '../errors.ts';

/**
 * Compares this clock with the `Date` of a response, and keeps a noticeable difference for `status`
 * and `doctor`.
 * @param isTrusted true: nothing is refused, since a service's date can be wrong, too
 * @returns the error of a response that must not be loaded; undefined if it may
 */
export const checkClock = (
  lake: Lake,
  { headers, status }: RawResponse,
  { now, isTrusted }: { readonly now: number; readonly isTrusted: boolean },
): ClockAheadError | undefined => {
  const skewMs = clockSkewMs(headers, now);
  if (skewMs === undefined) return undefined;
  noteClockSkew(lake, skewMs);
  if (skewMs <= REFUSED_SKEW_MS || isTrusted) return undefined;
  return new ClockAheadError(
    `This machine's clock is ${skewText(skewMs)}, which says ${headers.date}. Nothing was loaded: rows of the future would hide all that follow. Set the clock right, or add --trust-clock if the service's date is wrong.`,
    status,
  );
};
