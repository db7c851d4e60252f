import type { Config } from '../config.ts';
import { SECOND_MS } from '../durations.ts';
import { noticeEvents } from '../events/notice.ts';
import { readThresholds } from '../events/thresholds.ts';
import type { Lake } from '../lake/open.ts';
import { flushDeliveries, type SenderDeps } from '../webhooks/sender.ts';

const BUDGET_MS = 10 * SECOND_MS;

/**
 * What follows a sync: events are noticed in what it brought, and who subscribed is told, for at
 * most ten seconds; the sender of `serve` or the next sync goes on with the rest. A second time
 * finds nothing. Once the signal is aborted, all of it is left to the next sync.
 * @returns how many events were noticed
 */
export const afterSync = async (
  lake: Lake,
  config: Pick<Config, 'eventThresholds'>,
  deps: SenderDeps & { signal: AbortSignal },
): Promise<number> => {
  if (deps.signal.aborted) return 0;
  const thresholds = readThresholds(config.eventThresholds);
  const { stored } = noticeEvents(lake, { clock: deps.clock, thresholds });
  await flushDeliveries(lake, { ...deps, budgetMs: BUDGET_MS });
  return stored;
};
