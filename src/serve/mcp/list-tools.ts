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
import { type ListPage, totalsOf } from '../../lake/lists/list-page.ts';
import { UncachedLists } from '../../lake/lists/uncached-lists.ts';
import { feedPage, trendsPage } from '../../lake/lists/video-lists.ts';
import { searchPage } from '../../lake/search/search-page.ts';
import { risingPage } from '../../learn/forecast/read.ts';
import * as given from './inputs.ts';
import type { LakeReading, LakeTools } from './lake-tool.ts';

const SEARCH_DEADLINE_MS = 5000;
const WINDOW_MS = (dateRange: string): number => rangeMs(dateRange) ?? 0;

const COUNTS =
  'Counts are as last pulled from the service or imported; null means not known, never 0. engagementRate is percent, velocity views per hour.';

/** The part of a list that was asked for, true at an instant. */
const momentOf = (
  { limit, page, asOf }: { limit: number; page: number; asOf?: string | undefined },
  { instantOf }: LakeReading,
) => ({ limit, page, asOf: instantOf(asOf), isNow: asOf === undefined, owner: '' });

const listsOf = ({ lake, clock }: LakeReading): UncachedLists => new UncachedLists(lake, clock);

const pageOf = <T>(list: ListPage<T>, page: number) => ({
  ...totalsOf(list),
  page,
  items: list.items(),
  asOf: isoOf(list.asOf),
});

const addVideoLists = (tools: LakeTools): void => {
  tools.add({
    name: 'feed',
    title: 'Feed of a platform',
    description: `The latest viral videos of one platform, ranked by reach and velocity. Where the lake holds a pulled feed of that dateRange it is given in the service's own order, and asOf of the answer says when it was pulled; otherwise the list is computed from the videos this lake has seen, which are a sample. ${COUNTS}`,
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
    description: `What trended on a platform over a day, a week or a month, by views gained in it. As pulled where the lake holds that list; otherwise computed from the videos this lake has seen, and a video whose gain its snapshots do not tell comes last. ${COUNTS}`,
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
    description: `Full-text search over titles, handles and hashtags of the videos this lake has seen, best match first. It finds only what was pulled or imported, not all of the platform. total is a lower bound where counting took too long. ${COUNTS}`,
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
      const { total, items } = searchPage(lake, query, { clock });
      return { total, page, items, asOf: isoOf(at) };
    },
  });
};

/** Lists of videos, hashtags, events and forecasts, in the shapes of the service. */
export const addListTools = (tools: LakeTools): void => {
  addVideoLists(tools);
  tools.add({
    name: 'hashtags',
    title: 'Trending hashtags',
    description:
      'Hashtags by volume: distinct videos with the tag inside dateRange. Figures pulled from the service are the platform\'s; an item with "sampled": true was only counted over the videos this lake has seen, so do not compare its volume with pulled ones. change is the volume against the equal window before, minus 1; null unless both windows were watched alike.',
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
    title: 'What was noticed',
    description:
      'What this lake noticed, newest first: trend.spike (a video), creator.viral, hashtag.rising, niche.breakout, each with its window and the numbers that made it under data.evidence. Only what was watched can be noticed: no event does not mean that nothing happened.',
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
    title: 'What may end on top',
    description:
      'Videos of a platform seen in the last two days, by topProbability: how likely each is to end in the top tenth of growth among its like. median, low and high are estimates of its views after the horizon (80 of 100 outcomes lie between low and high); null where too few outcomes stand behind them. Empty where the lake has not watched enough yet. What is forecast of one video at every horizon: growth.',
    input: z.strictObject({
      platform: given.platform,
      horizon: given.horizon,
      ...given.paging,
      asOf: given.asOf,
    }),
    output: forecastsResponse,
    read: ({ platform, horizon: hours, limit, page, asOf }, { lake, instantOf }) => {
      const at = instantOf(asOf);
      const { total, items } = risingPage(lake.sqlite, { platform, hours, at, limit, page });
      return { total, page, items: [...items], platform, horizonHours: hours, asOf: isoOf(at) };
    },
  });
};
