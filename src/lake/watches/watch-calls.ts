import type { WatchKind } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { Watch } from './watches.ts';

/** Month in which prices are stated. */
export const PRICED_MS = 30 * DAY_MS;
/** Most results that one call for a search returns. */
const RESULTS_PER_CALL = 100;

/** Calls of one request of a watch: a search is read as deep as a list. */
export const callsEach = ({ kind }: { readonly kind: WatchKind }, listItems: number): number =>
  kind === 'search' || kind === 'hashtag' ? Math.ceil(listItems / RESULTS_PER_CALL) : 1;

/** Calls of a watch in 30 days. May be a fraction. */
export const callsInMonth = (
  watch: Pick<Watch, 'kind' | 'everyMs'>,
  { listItems }: { readonly listItems: number },
): number => (PRICED_MS / watch.everyMs) * callsEach(watch, listItems);

/** Price of a watch in calls per 30 days, rounded up. */
export const callsPerMonth = (
  watch: Pick<Watch, 'kind' | 'everyMs'>,
  config: { readonly listItems: number },
): number => Math.ceil(callsInMonth(watch, config));
