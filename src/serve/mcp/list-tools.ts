import { z } from 'zod';
import { rangeMs } from '../../base/durations.ts';
import { isoOf, parseIso } from '../../base/iso.ts';
import {
  eventsResponse,
  feedResponse,
  forecastsResponse,
  hashtagsResponse,
  trendsResponse,
} from '../../base/wire/shapes.ts';
import { eventsPage, shownEvent } from '../../lake/lists/event-list.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import { type ListPage, totalsOf, UncachedLists } from '../../lake/lists/list-page.ts';
import { feedPage, trendsPage } from '../../lake/lists/video-lists.ts';
import { searchPage } from '../../lake/search/search.ts';
import { risingPage } from '../../learn/forecast/read.ts';
import * as given from './inputs.ts';
import type { LakeReading, LakeTools } from './lake-tool.ts';

const SEARCH_DEADLINE_MS = 5000;
const WINDOW_MS = (dateRange: string): number => rangeMs(dateRange) ?? 0;

const COUNTS =
  'Counts are from the last pull or import; null means unknown, never 0. engagementRate is percent, velocity views per hour.';

const momentOf = (
  { limit, page, asOf }: { limit: number; page: number; asOf?: string | undefined },
  { instantOf }: LakeReading,
) => ({ limit, page, asOf: instantOf(asOf), owner: '' });

const listsOf = ({ lake }: LakeReading): UncachedLists => new UncachedLists(lake);

const pageOf = <T>(list: ListPage<T>, page: number) => ({
  ...totalsOf(list),
  page,
  items: list.items,
  asOf: isoOf(list.asOf),
});

const addVideoLists = (tools: LakeTools): void => {
  tools.add({
    name: 'feed',
    title: 'Feed of a platform',
    description: `The latest viral videos of one platform, ranked by reach and velocity. If the lake has a pulled feed of that dateRange, you get it in the service's order, with the time of the pull as asOf. Otherwise the list is computed from the sample of videos in this lake. ${COUNTS}`,
    input: z.strictObject({
      platform: given.platform,
      dateRange: given.dateRange('24h'),
      ...given.paging,
      asOf: given.asOf,
    }),
    output: feedResponse,
    read: async ({ platform, dateRange, ...part }, reading) => {
      const window = { platform, dateRange, windowMs: WINDOW_MS(dateRange) };
      const list = await feedPage(listsOf(reading), { ...momentOf(part, reading), ...window });
      return pageOf(list, part.page);
    },
  });
  tools.add({
    name: 'trends',
    title: 'Trending videos',
    description: `Trending videos of a platform over a day, a week or a month, by views gained. As pulled if the lake has that list, otherwise computed from the videos in this lake. Videos with unknown gain come last. ${COUNTS}`,
    input: z.strictObject({
      platform: given.platform,
      period: given.period,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: trendsResponse,
    read: async ({ platform, period, ...part }, reading) => {
      const moment = momentOf(part, reading);
      const list = await trendsPage(listsOf(reading), { ...moment, platform, period });
      return { ...pageOf(list, part.page), platform, period };
    },
  });
  tools.add({
    name: 'search',
    title: 'Search videos',
    description: `Full-text search over titles, handles and hashtags of the videos in this lake, best match first. It does not search the whole platform. total is a lower bound if counting took too long. ${COUNTS}`,
    input: z.strictObject({
      q: given.searchText,
      platform: given.onePlatform,
      dateRange: given.openDateRange,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: feedResponse,
    read: ({ q, platform, dateRange, limit, page, asOf }, { lake, clock, instantOf }) => {
      const at = instantOf(asOf);
      const since = dateRange === undefined ? undefined : at - WINDOW_MS(dateRange);
      const query = { q, platform, since, limit, page, asOf: at, deadlineMs: SEARCH_DEADLINE_MS };
      const { total, items } = searchPage(lake, query, clock);
      return { total, page, items, asOf: isoOf(at) };
    },
  });
};

/** Lists of videos, hashtags, events and forecasts, with the response shapes of the service. */
export const addListTools = (tools: LakeTools): void => {
  addVideoLists(tools);
  tools.add({
    name: 'hashtags',
    title: 'Trending hashtags',
    description:
      'Hashtags by volume: distinct videos with the tag inside dateRange. Pulled volumes cover the platform. An item with "sampled": true is counted over the videos in this lake only, so do not compare its volume with pulled ones. change is the relative change against the window before; null unless both windows were observed alike.',
    input: z.strictObject({
      platform: given.onePlatform,
      dateRange: given.dateRange('30d'),
      ...given.paging,
      asOf: given.asOf,
    }),
    output: hashtagsResponse,
    read: async ({ platform, dateRange, ...part }, reading) => {
      const list = await hashtagsPage(listsOf(reading), {
        ...momentOf(part, reading),
        ...(platform === undefined ? {} : { platform }),
        dateRange,
        windowMs: WINDOW_MS(dateRange),
      });
      return pageOf(list, part.page);
    },
  });
  tools.add({
    name: 'events',
    title: 'Events',
    description:
      'Detected events, newest first: trend.spike (a video), creator.viral, hashtag.rising, niche.breakout, each with its window and its numbers under data.evidence. Events cover observed data only: no event does not mean that nothing happened.',
    input: z.strictObject({
      kind: given.eventKind,
      platform: given.onePlatform,
      tag: given.tag,
      since: given.since,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: eventsResponse,
    read: ({ kind, platform, tag, since, limit, page, asOf }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const from = since === undefined ? undefined : parseIso(since);
      const { total, items } = eventsPage(lake, {
        ...(kind === undefined ? {} : { kind }),
        ...(platform === undefined ? {} : { platform }),
        ...(tag === undefined ? {} : { tag }),
        ...(from === undefined ? {} : { since: from }),
        limit,
        page,
        asOf: at,
      });
      return { total, page, items: items.map(shownEvent), asOf: isoOf(at) };
    },
  });
  tools.add({
    name: 'forecast',
    title: 'Forecast of top videos',
    description:
      'Videos of a platform seen in the last two days, by topProbability: the chance to finish in the top 10 % by growth among similar videos. list=next (default) has videos that are not there yet, list=risen those that are. gain24h is the expected gain of a day, overBy the likely end of the rise. median, low and high estimate its views after the horizon (8 in 10 videos land between low and high); null if too few outcomes are known. Empty until the lake has enough history. For all horizons of one video, call growth.',
    input: z.strictObject({
      platform: given.platform,
      list: given.risingList,
      horizon: given.horizon,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: forecastsResponse,
    read: ({ platform, list, horizon: hours, limit, page, asOf }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const { total, items } = risingPage(lake.sqlite, { platform, list, hours, at, limit, page });
      return { total, page, items: [...items], platform, horizonHours: hours, asOf: isoOf(at) };
    },
  });
};
