import type { Platform } from '../../../schema/vocabulary.ts';
import { foldName } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import type { SeenHashtag } from '../writers/hashtags.ts';
import { type Loader, loaderOf, type WordsIndexed } from '../writers/loader.ts';
import type { LoadCounts, Tally } from '../writers/tally.ts';
import { statedOnce } from './stated-once.ts';

/** A hashtag of a list: its figures, and their parts by platform. */
export interface HashtagObservation {
  tag: string;
  rank: number;
  volume: number | null;
  views: number | null;
  change: number | null;
  platforms: { platform: Platform; volume: number | null; views: number | null }[];
  /** True if the upstream counted the figures over the videos it has seen. */
  sampled: boolean;
  extra: Record<string, unknown> | null;
}

/** One page of a list of hashtags. */
export interface HashtagListPage {
  platform: Platform | '';
  /** Window of its volumes, such as `30d`. */
  window: string;
  /** Unix ms. */
  at: number;
  total: number | null;
  runId: number | null;
  isLast: boolean;
  items: readonly HashtagObservation[];
}

const volumesOf = (
  item: HashtagObservation,
  { platform, window, at }: HashtagListPage,
): SeenHashtag[] => {
  const { platforms, sampled, ...overall } = item;
  const own = { tag: item.tag, at, window, source: sampled ? 'seen' : 'hashtags' } as const;
  return [
    { ...overall, ...own, platform },
    ...platforms
      .filter((part) => part.platform !== platform)
      .map((part) => ({ ...part, ...own, change: null, rank: null, extra: null })),
  ];
};

/** Writes a page of hashtags. The last page completes the list. */
export const writeHashtagList = (loader: Loader, page: HashtagListPage, tally: Tally): void => {
  const { platform, window: period, at, total, runId, isLast } = page;
  loader.rankings.open({ list: 'hashtags', platform, period, at, total, runId, isLast }, tally);
  const distinct = statedOnce<SeenHashtag, string>(
    page.items.flatMap((item) => volumesOf(item, page)),
    (volume) => `${volume.platform}#${foldName(volume.tag)}`,
    // the first rank and spelling on the page are kept
    ({ tag, rank }) => ({ tag, rank }),
  );
  for (const volume of distinct.values()) loader.hashtags.write(volume, tally);
};

/** Loads a complete list of hashtags in one transaction. Repeating it changes nothing. */
export const loadHashtagList = (
  lake: Lake,
  list: Omit<HashtagListPage, 'runId' | 'isLast'>,
  words: WordsIndexed = 'now',
): LoadCounts => {
  const loader = loaderOf(lake);
  return loader.transaction(
    (tally) => writeHashtagList(loader, { ...list, runId: null, isLast: true }, tally),
    () => {},
    words,
  );
};
