import { SECOND_MS } from './durations.ts';

/**
 * Wait of a `Retry-After` header in whole ms: seconds, or a date compared with `sentAt` (Unix ms).
 * Null if missing, zero, negative or past. The caller limits the wait.
 */
export const retryAfterMs = (header: string | null | undefined, sentAt: number): number | null => {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - sentAt;
  return waitMs > 0 ? Math.ceil(waitMs) : null;
};
