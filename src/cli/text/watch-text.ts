import { HOUR_MS } from '../../base/durations.ts';
import type { Watch } from '../../lake/watches/watches.ts';
import type { WatchPrice } from '../../run/plan/watch-price.ts';
import { counted, grouped } from './figures.ts';

/** A watched subject as people write it: `@handle`, `#tag`, an id, or words in quotes. */
export const watchedText = ({ kind, subject }: Pick<Watch, 'kind' | 'subject'>): string =>
  ({ creator: `@${subject}`, hashtag: `#${subject}`, video: subject, search: `"${subject}"` })[
    kind
  ];

/** A cadence as options take it: `6h`, `2d`. */
export const cadenceText = (everyMs: number): string => {
  const hours = everyMs / HOUR_MS;
  return hours > 0 && hours % 24 === 0 ? `${hours / 24}d` : `${Math.round(hours * 10) / 10}h`;
};

const percent = (share: number): string =>
  share > 0 && share < 0.001 ? 'under 0.1 %' : `${(100 * share).toFixed(1)} %`;

const span = (hours: number): string =>
  hours < 1
    ? `${Math.max(1, Math.round(hours * 60))} min`
    : `${hours.toFixed(hours < 10 ? 1 : 0)} h`;

/** Price of watches and its effect, in sentences. */
export const priceText = (price: WatchPrice): string[] => {
  const { callsPerMonth, callsBefore, allWatches, mostWatches, refreshesPerDay, videos } = price;
  const lines = [
    `Price: ${counted(callsPerMonth, 'call')} a month (30 days), ${percent(price.shareOfMonth)} of the key's calls${callsBefore > 0 ? `; today ${counted(callsBefore, 'call')}` : ''}. All watches together then need ${grouped(allWatches)} of the ${grouped(mostWatches)} calls a month that watches may use.`,
  ];
  if (allWatches > mostWatches)
    lines.push(
      `That is more than their share, so watches will be late: each is requested about ${(allWatches / mostWatches).toFixed(1)} times less often. Raise TRENDLAKE_WATCH_SHARE or use a longer --every.`,
    );
  const { before, after } = refreshesPerDay;
  if (Math.round(before - after) >= 1)
    lines.push(
      `The calls that remain refresh ${grouped(Math.round(after))} other videos and creators a day instead of ${grouped(Math.round(before))}.${price.hoursLater === null ? '' : ` A video among the ${grouped(videos)} refreshed in the last week waits ${span(price.hoursLater)} longer for its next refresh, on average.`}`,
    );
  return lines;
};
