import type { WatchKind } from '../../../schema/vocabulary.ts';
import { type PageConfig, pageItems } from '../../base/config/upstream-settings.ts';
import { DAY_MS } from '../../base/durations.ts';
import { DEFAULT_EVERY_MS, type NewWatch, type Watch, watchOfSubject } from './watches.ts';

/** Month in which prices are stated. */
export const PRICED_MS = 30 * DAY_MS;

/** Calls of one request of a watch: a search is read as deep as a list. */
export const callsEach = ({ kind }: { readonly kind: WatchKind }, config: PageConfig): number =>
  kind === 'search' || kind === 'hashtag' ? Math.ceil(config.listItems / pageItems(config)) : 1;

/** Calls of a watch in 30 days. May be a fraction. */
export const callsInMonth = (watch: Pick<Watch, 'kind' | 'everyMs'>, config: PageConfig): number =>
  (PRICED_MS / watch.everyMs) * callsEach(watch, config);

/** Price of a watch in calls per 30 days, rounded up. */
export const callsPerMonth = (watch: Pick<Watch, 'kind' | 'everyMs'>, config: PageConfig): number =>
  Math.ceil(callsInMonth(watch, config));

/** Calls per 30 days of watches to add, and of the active ones of the same subjects today. */
export interface AddedCalls {
  readonly after: number;
  readonly before: number;
}

/** Cost of watches to add once they are saved. Of several with one subject the last one counts. */
export const callsOfAdded = (
  lake: Parameters<typeof watchOfSubject>[0],
  watches: readonly NewWatch[],
  { config, now }: { config: PageConfig; now: number },
): AddedCalls => {
  const added = new Map<string, { before: number; everyMs: number; calls: number }>();
  for (const watch of watches) {
    const key = JSON.stringify([watch.kind, watch.platform, watch.subject]);
    const known = watchOfSubject(lake, watch);
    const isActive =
      known !== undefined && known.pausedAt === null && (known.until === null || known.until > now);
    const everyMs = watch.everyMs ?? added.get(key)?.everyMs ?? known?.everyMs ?? DEFAULT_EVERY_MS;
    const calls = callsPerMonth({ kind: watch.kind, everyMs }, config);
    added.set(key, { before: isActive ? callsPerMonth(known, config) : 0, everyMs, calls });
  }
  const all = [...added.values()];
  return {
    after: all.reduce((sum, { calls }) => sum + calls, 0),
    before: all.reduce((sum, { before }) => sum + before, 0),
  };
};
