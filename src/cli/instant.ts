import { parseIso } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { rangeMs } from '../settings.ts';

/**
 * An instant as a flag gives it: an ISO 8601 date or date-time, or a span such as `36h` or `7d`
 * that ends now. Unix ms.
 * @throws UsageError naming the flag
 */
export const readInstant = (flag: string, text: string, now: number): number => {
  const spanMs = rangeMs(text);
  const at = spanMs === undefined ? parseIso(text) : now - spanMs;
  if (at === undefined)
    throw new UsageError(
      `${flag} must be an ISO 8601 instant such as 2026-03-01T12:00:00Z, or a span such as 24h, 7d or 4w (at most 366 days) that ends now; it is "${text}".`,
    );
  return at;
};
