import { SECOND_MS } from './durations.ts';

/**
 * Whole milliseconds that a `Retry-After` header asks to wait: seconds, or a date that is judged by
 * `sentAt`, Unix ms. Null where it gives no usable hint: missing, zero, negative or past. How long is
 * too long is for the caller to say.
 */
export const retryAfterMs = (header: string | null | undefined, sentAt: number): number | null => {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - sentAt;
  return waitMs > 0 ? Math.ceil(waitMs) : null;
};
