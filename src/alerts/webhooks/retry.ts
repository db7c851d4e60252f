import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { retryAfterMs } from '../../base/retry-after.ts';
import type { DeliveryAttempt } from './post.ts';

/**
 * Waits after the first, second, ... failed attempt, as in the Standard Webhooks specification: ten
 * attempts over 75 h 35 min 5 s, and jitter on top.
 */
const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
/** An endpoint that has not received anything for this long while failing is disabled. */
const GIVE_UP_AFTER_MS = 5 * DAY_MS;
/** Longest wait that an endpoint can ask for. */
const LONGEST_RETRY_AFTER_MS = DAY_MS;

/** Consequence of an attempt for its delivery and endpoint. */
export interface Verdict {
  readonly state: 'delivered' | 'pending' | 'failed';
  readonly nextAttemptAt: number | null;
  readonly failingSince: number | null;
  /** End of the pause that the endpoint asked for; null: no new one, and an earlier one continues. */
  readonly pausedUntil: number | null;
  /** Reason to disable the endpoint. */
  readonly disable: string | null;
}

/**
 * Decides what follows an attempt.
 * @param attempts made so far, this one included
 * @param endedAt when it ended, Unix ms
 * @param chance 0 <= r < 1, for the jitter
 */
export const judgeAttempt = (
  attempt: Pick<DeliveryAttempt, 'status' | 'retryAfter' | 'error'>,
  {
    attempts,
    endedAt,
    failingSince,
    chance,
  }: { attempts: number; endedAt: number; failingSince: number | null; chance: number },
): Verdict => {
  const ended = { nextAttemptAt: null, pausedUntil: null, disable: null };
  if (attempt.error === null) return { ...ended, state: 'delivered', failingSince: null };
  const since = failingSince ?? endedAt;
  const gone = attempt.status === 410 ? 'the endpoint answered 410 (gone)' : null;
  const days = Math.floor((endedAt - since) / DAY_MS);
  const tired =
    endedAt - since >= GIVE_UP_AFTER_MS
      ? `nothing was received for ${days} days; the last attempt: ${attempt.error}`
      : null;
  const disable = gone ?? tired;
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (disable !== null || delay === undefined)
    return { ...ended, state: 'failed', failingSince: since, disable };
  const statedMs = Math.min(retryAfterMs(attempt.retryAfter, endedAt) ?? 0, LONGEST_RETRY_AFTER_MS);
  const wait = Math.max(delay * (1 + JITTER * chance), statedMs);
  return {
    state: 'pending',
    nextAttemptAt: Math.round(endedAt + wait),
    failingSince: since,
    pausedUntil: statedMs > 0 ? endedAt + statedMs : null,
    disable,
  };
};
