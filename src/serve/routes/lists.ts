import { isoOf } from '../../base/iso.ts';
import {
  feedResponse,
  type HashtagItem,
  hashtagsResponse,
  trendsResponse,
} from '../../base/wire/shapes.ts';
import { PERIOD_MS } from '../../lake/lists/computed-list.ts';
import { hashtagsPage } from '../../lake/lists/hashtag-list.ts';
import { type ListPage, totalsOf } from '../../lake/lists/list-page.ts';
import { feedPage, trendsPage } from '../../lake/lists/video-lists.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { volumeForecastAt } from '../../learn/volumes/read-volumes.ts';
import { AHEAD_HOURS } from '../../learn/volumes/volume-series.ts';
import type { ResponseContent } from '../http/written-response.ts';
import type { ReadContext } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import {
  asOf,
  dateRange,
  limit,
  page,
  periodPath,
  platformPath,
  platformQuery,
} from '../request/parameters.ts';

type VolumeLike = Omit<Parameters<typeof volumeForecastAt>[1], 'tag'>;

/** A pulled list of hashtags with forecasts of their volumes. */
const withForecasts = (
  { lake }: ReadContext,
  list: ListPage<HashtagItem>,
  like: VolumeLike,
): ListPage<HashtagItem> => ({
  ...list,
  items: list.items.map((item) => {
    const kept = volumeForecastAt(lake.sqlite, { ...like, tag: item.tag });
    if (kept === undefined) return item;
    const { madeAt, ...ahead } = kept;
    return { ...item, forecast: { madeAt: isoOf(madeAt), horizonHours: AHEAD_HOURS, ...ahead } };
  }),
});

/** A page of a list requested for `at`. `windowsMs`: windows of a computed list. */
const listContent = <T>(
  { lake }: ReadContext,
  list: ListPage<T>,
  {
    at,
    page,
    windowsMs,
    ...further
  }: {
    at: number;
    page: number;
    windowsMs: readonly number[];
    platform?: string;
    period?: string;
  },
): ResponseContent => ({
  body: { ...totalsOf(list), page, items: list.items, ...further },
  asOf: list.asOf,
  observedAt: list.pulledAt ?? newestSnapshotAt(lake, list.asOf),
  ...(list.version === null
    ? {}
    : {
        readFor: { at, version: list.version },
        windowsMs: list.pulledAt === null ? windowsMs : [],
      }),
});

export const feedRoute = getRoute({
  path: '/feed/{platform}',
  operationId: 'getFeed',
  summary: 'Latest viral content of one platform, ranked by reach and velocity',
  params: { platform: platformPath },
  query: { limit, page, dateRange: dateRange('24h'), asOf },
  response: feedResponse,
  read: async (service: ReadContext, { platform, dateRange, limit, page }, moment) => {
    const { token, windowMs } = dateRange;
    const wanted = { platform, dateRange: token, windowMs, limit, page };
    const list = await feedPage(service.reads.lists, { ...wanted, ...moment });
    return listContent(service, list, { at: moment.asOf, page, windowsMs: [windowMs] });
  },
});

export const trendsRoute = getRoute({
  path: '/trends/{platform}/{period}',
  operationId: 'getTrends',
  summary: 'Top trending videos of a day, a week or a month, by views gained in it',
  params: { platform: platformPath, period: periodPath },
  query: { limit, page, asOf },
  response: trendsResponse,
  read: async (service: ReadContext, { platform, period, limit, page }, moment) => {
    const wanted = { platform, period, limit, page };
    const list = await trendsPage(service.reads.lists, { ...wanted, ...moment });
    const windowsMs = [PERIOD_MS[period]];
    return listContent(service, list, { at: moment.asOf, page, platform, period, windowsMs });
  },
});

export const hashtagsRoute = getRoute({
  path: '/hashtags',
  operationId: 'getHashtags',
  summary: 'Trending hashtags across platforms, with volume',
  query: { platform: platformQuery, dateRange: dateRange('30d'), limit, page, asOf },
  response: hashtagsResponse,
  read: async (service: ReadContext, { platform, dateRange, limit, page }, moment) => {
    const { token, windowMs } = dateRange;
    const of = platform === undefined ? {} : { platform };
    const wanted = { ...of, dateRange: token, windowMs, limit, page };
    const list = await hashtagsPage(service.reads.lists, { ...wanted, ...moment });
    const like = { platform: platform ?? '', window: token, at: moment.asOf } as const;
    const shown = list.pulledAt === null ? list : withForecasts(service, list, like);
    return listContent(service, shown, {
      at: moment.asOf,
      page,
      windowsMs: [windowMs, 2 * windowMs],
    });
  },
});
