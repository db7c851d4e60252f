import type { WatchKind } from '../../../schema/vocabulary.ts';
import { type PageConfig, pageItems } from '../../base/config/upstream-settings.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { Watch } from './watches.ts';

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
