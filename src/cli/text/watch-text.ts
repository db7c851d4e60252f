import { HOUR_MS } from '../../base/durations.ts';
import type { Watch } from '../../lake/watches/watches.ts';
import type { WatchPrice } from '../../run/plan/watch-price.ts';
import { counted, grouped } from './figures.ts';

/** A watched subject as people write it: `@handle`, `#tag`, an id, or words in quotes. */
export const watchedText = ({ kind, subject }: Pick<Watch, 'kind' | 'subject'>): string =>
  ({ creator: `@${subject}`, hashtag: `#${subject}`, video: subject, search: `"${subject}"` })[
    kind
  ];

const SPANS: readonly (readonly [string, number])[] = [
  ['d', 24],
  ['h', 1],
];

/** A cadence as options take it: `6h`, `2d`. */
export const cadenceText = (everyMs: number): string => {
  const hours = everyMs / HOUR_MS;
  const [unit = 'h', size = 1] =
    SPANS.find(([, each]) => hours % each === 0 && hours >= each) ?? [];
  return `${Math.round((hours / size) * 10) / 10}${unit}`;
};

const percent = (share: number): string =>
  share > 0 && share < 0.001 ? 'under 0.1 %' : `${(100 * share).toFixed(1)} %`;

const span = (hours: number): string =>
  hours < 1
    ? `${Math.max(1, Math.round(hours * 60))} min`
    : `${hours.toFixed(hours < 10 ? 1 : 0)} h`;

/** Price of watches and its effect, in sentences. */
export const priceText = (price: WatchPrice): string[] => {
  const { callsPerMonth, shareOfMonth, allWatches, mostWatches, refreshesPerDay, videos } = price;
  const lines = [
    `Price: ${counted(callsPerMonth, 'call')} a month (30 days), ${percent(shareOfMonth)} of the month. With it, all watches need ${grouped(allWatches)} of the ${grouped(mostWatches)} calls that they may take.`,
  ];
  if (allWatches > mostWatches)
    lines.push(
      `That is more than their share, so watches will be late: each is requested about ${(allWatches / mostWatches).toFixed(1)} times less often. Raise TRENDLAKE_WATCH_SHARE or use a longer --every.`,
    );
  const { before, after } = refreshesPerDay;
  if (Math.round(before - after) >= 1)
    lines.push(
      price.hoursLater === null
        ? `Other refreshes fall from ${grouped(Math.round(before))} to ${grouped(Math.round(after))} a day.`
        : `Other refreshes fall from ${grouped(Math.round(before))} to ${grouped(Math.round(after))} a day: the ${counted(videos, 'video')} refreshed in the last week get theirs ${span(price.hoursLater)} later on average.`,
    );
  return lines;
};
