import type { Lake } from '../../lake/open.ts';
import { type ChannelDeps, notifyTargetsById, sendTo } from './channel.ts';
import { markNoticesSent, unsentNotices } from './conditions.ts';
import { messageFor } from './message.ts';

/**
 * Sends unsent notices to each target of `TRENDLAKE_NOTIFY` once. A target that fails gets them the
 * next time.
 * @returns the failures, without addresses; undefined without a failure
 */
export const sendNotices = async (
  lake: Lake,
  notify: string,
  deps: Omit<ChannelDeps, 'lake'>,
): Promise<string | undefined> => {
  const now = deps.clock.now();
  const targets = notifyTargetsById(notify);
  const failures: string[] = [];
  for (const [id, target] of targets) {
    const notices = unsentNotices(lake).filter(({ sentTo }) => !sentTo.includes(id));
    if (notices.length === 0) continue;
    const failure = await sendTo(target, messageFor(notices, now), { ...deps, lake });
    if (failure === undefined)
      markNoticesSent(lake, notices, { target: id, targets: [...targets.keys()], now });
    else failures.push(failure);
  }
  return failures.length === 0 ? undefined : failures.join('; ');
};
