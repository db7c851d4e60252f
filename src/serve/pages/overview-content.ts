import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { ContentItem, HashtagItem } from '../../base/wire/shapes.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import type { ListPage } from '../../lake/lists/list-page.ts';
import { feedPage, trendsPage } from '../../lake/lists/video-lists.ts';
import { hashtagsOfTag, videosOfTag } from '../../lake/watches/tag-lens.ts';
import type { RisingVideo } from '../../learn/forecast/shapes.ts';
import type { ServiceContext } from '../request/context.ts';
import { type NamedEvent, namedEvent } from './event-cards.ts';
import { LENS_MOST } from './list-route.ts';
import { type PageMoment, requesterOf } from './page-route.ts';

const DAY = { dateRange: '24h', windowMs: DAY_MS, page: 1 };
const MONTH = { dateRange: '30d', windowMs: 30 * DAY_MS, page: 1 };
const SHOWN = { feed: 20, trends: 10, tags: 100, next: 8, events: 5 };

/** With a tag, only what belongs to it. */
export interface OverviewContent {
  readonly platform: Platform;
  readonly feed: ListPage<ContentItem>;
  readonly trends: ListPage<ContentItem>;
  /** Of all platforms; the first of them are listed. */
  readonly tags: readonly HashtagItem[];
  readonly next: readonly RisingVideo[];
  /** The newest ones. */
  readonly events: readonly NamedEvent[];
}

interface OverviewQuery {
  readonly platform: Platform | undefined;
  readonly tag: string | undefined;
}

const only = (
  page: ListPage<ContentItem>,
  covers: (video: ContentItem) => boolean,
  most: number,
): ListPage<ContentItem> => {
  const items = page.items.filter(covers);
  const total = items.length;
  return { ...page, total, held: total, items: items.slice(0, most) };
};

/** The chosen platform, else the first one with a feed. */
const platformFor = async (
  wanted: Platform | undefined,
  feedOf: (platform: Platform) => Promise<ListPage<ContentItem>>,
): Promise<Platform> => {
  if (wanted !== undefined) return wanted;
  for (const platform of PLATFORMS) {
    const { total } = await feedOf(platform);
    if (total > 0) return platform;
  }
  return 'tiktok';
};

export const readOverview = async (
  { lake, reads }: ServiceContext,
  { platform: wanted, tag }: OverviewQuery,
  moment: PageMoment,
): Promise<OverviewContent> => {
  const { lists } = reads;
  const covers = tag === undefined ? undefined : videosOfTag(lake, tag);
  const depth = (most: number): number => (tag === undefined ? most : LENS_MOST);
  const lensed = (page: ListPage<ContentItem>, most: number) =>
    covers === undefined ? page : only(page, covers, most);
  const feedOf = async (platform: Platform): Promise<ListPage<ContentItem>> => {
    const query = { ...moment, ...DAY, platform, limit: depth(SHOWN.feed) };
    return lensed(await feedPage(lists, query), SHOWN.feed);
  };
  const platform = await platformFor(wanted, feedOf);
  const week = { platform, period: 'week', limit: depth(SHOWN.trends), page: 1 } as const;
  const [feed, trends, hashtags] = await Promise.all([
    feedOf(platform),
    trendsPage(lists, { ...moment, ...week }),
    hashtagsPage(lists, { ...moment, ...MONTH, limit: depth(SHOWN.tags) }),
  ]);
  const by = requesterOf(moment);
  const of = {
    platform,
    hours: 24,
    at: moment.asOf,
    limit: depth(SHOWN.next),
    tagsOf: [],
  } as const;
  const { videos } = await reads.read('rising', of, by);
  const noticed = { platform, tag, limit: SHOWN.events, page: 1, asOf: moment.asOf };
  const events = await reads.read('noticed', noticed, by);
  return {
    platform,
    feed,
    trends: lensed(trends, SHOWN.trends),
    tags: hashtags.items.filter(tag === undefined ? () => true : hashtagsOfTag(lake, tag)),
    next: videos.filter(covers ?? (() => true)).slice(0, SHOWN.next),
    events: events.map((event) => namedEvent(lake, event, moment.asOf)),
  };
};
