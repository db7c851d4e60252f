import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { type ChannelDeps, notifyTargetsById, sendTo } from '../notify/channel.ts';
import { messageOfHits } from '../notify/message.ts';
import { chatTarget } from '../webhooks/chat.ts';
import { type AlertHit, markSent, waitingHits } from './alert-store.ts';

/** Rows that no target took for this long are not sent any more. */
const TOO_LATE_MS = 3 * DAY_MS;

/**
 * Sends rows that fired to the targets of their alerts, one message per alert and target. A target
 * that fails gets nothing else now, and everything the next time.
 * @param notify `TRENDLAKE_NOTIFY`, for alerts without targets
 * @returns the failures, without addresses
 */
export const sendHits = async (
  lake: Lake,
  notify: string | undefined,
  deps: Omit<ChannelDeps, 'lake'>,
): Promise<string[]> => {
  const now = deps.clock.now();
  const waiting = waitingHits(lake);
  const notified = notifyTargetsById(notify);
  const failures: string[] = [];
  for (const target of new Set(waiting.flatMap((hit) => hit.waiting))) {
    const ofTarget = waiting.filter((hit) => hit.waiting.includes(target));
    const address = target.startsWith('notify:') ? notified.get(target) : target;
    const isPast = (hit: AlertHit): boolean => address === undefined || now - hit.at > TOO_LATE_MS;
    markSent(lake, ofTarget.filter(isPast), target);
    if (address === undefined) continue;
    const everyMs = chatTarget(address)?.everyMs ?? 0;
    const timely = ofTarget.filter((hit) => !isPast(hit));
    for (const [alert, hits] of Map.groupBy(timely, ({ name }) => name)) {
      const message = messageOfHits(alert, hits, now);
      const failure = await sendTo(address, message, { ...deps, lake });
      if (failure !== undefined) {
        failures.push(`${alert}: ${failure}`);
        break;
      }
      markSent(lake, hits, target);
      await deps.clock.sleep(everyMs, deps.signal);
    }
  }
  return failures;
};
