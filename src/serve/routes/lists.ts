import { z } from '@hono/zod-openapi';
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
import { momentOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import {
  asOf,
  dateRange,
  limit,
  page,
  periodPath,
  platformPath,
  platformQuery,
} from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const feed = describeGet({
  path: '/feed/{platform}',
  operationId: 'getFeed',
  summary: 'Latest viral content of one platform, ranked by reach and velocity',
  request: {
    params: z.object({ platform: platformPath }),
    query: z.object({ limit, page, dateRange: dateRange('24h'), asOf }),
  },
  response: feedResponse,
  problems: ['invalid-parameter', 'not-found'],
});

const trends = describeGet({
  path: '/trends/{platform}/{period}',
  operationId: 'getTrends',
  summary: 'Top trending videos of a day, a week or a month, by views gained in it',
  request: {
    params: z.object({ platform: platformPath, period: periodPath }),
    query: z.object({ limit, page, asOf }),
  },
  response: trendsResponse,
  problems: ['invalid-parameter', 'not-found'],
});

const hashtags = describeGet({
  path: '/hashtags',
  operationId: 'getHashtags',
  summary: 'Trending hashtags across platforms, with volume',
  request: {
    query: z.object({ platform: platformQuery, dateRange: dateRange('30d'), limit, page, asOf }),
  },
  response: hashtagsResponse,
  problems: ['invalid-parameter'],
});

type VolumeLike = Omit<Parameters<typeof volumeForecastAt>[1], 'tag'>;

/** A pulled list of hashtags with forecasts of their volumes. */
const withForecasts = (
  sqlite: ServiceContext['lake']['sqlite'],
  list: ListPage<HashtagItem>,
  like: VolumeLike,
): ListPage<HashtagItem> => ({
  ...list,
  items: list.items.map((item) => {
    const kept = volumeForecastAt(sqlite, { ...like, tag: item.tag });
    if (kept === undefined) return item;
    const { madeAt, ...ahead } = kept;
    return { ...item, forecast: { madeAt: isoOf(madeAt), horizonHours: AHEAD_HOURS, ...ahead } };
  }),
});

export const listRoutes = (app: ServiceApp, service: ServiceContext): void => {
  const responseOf = <T>(
    list: ListPage<T>,
    at: number,
    pageNumber: number,
    { windowsMs, ...further }: { windowsMs: readonly number[]; platform?: string; period?: string },
  ): ResponseContent => ({
    body: { ...totalsOf(list), page: pageNumber, items: list.items, ...further },
    asOf: list.asOf,
    observedAt: list.pulledAt ?? newestSnapshotAt(service.lake, list.asOf),
    ...(list.version === null
      ? {}
      : {
          readFor: { at, version: list.version },
          windowsMs: list.pulledAt === null ? windowsMs : [],
        }),
  });

  respondGet(app, service, feed, async (c) => {
    const { platform } = c.req.valid('param');
    const { dateRange: range, asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const moment = momentOf(service, c, requestedAsOf);
    const { token: dateRange, windowMs } = range;
    const list = await feedPage(service.reads.lists, {
      ...paging,
      ...moment,
      platform,
      dateRange,
      windowMs,
    });
    const response = responseOf(list, moment.asOf, paging.page, { windowsMs: [windowMs] });
    return respond(service, c, response, requestedAsOf);
  });

  respondGet(app, service, trends, async (c) => {
    const { platform, period } = c.req.valid('param');
    const { asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const moment = momentOf(service, c, requestedAsOf);
    const list = await trendsPage(service.reads.lists, { ...paging, ...moment, platform, period });
    const windowsMs = [PERIOD_MS[period]];
    const response = responseOf(list, moment.asOf, paging.page, { platform, period, windowsMs });
    return respond(service, c, response, requestedAsOf);
  });

  respondGet(app, service, hashtags, async (c) => {
    const { platform, dateRange: range, asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const moment = momentOf(service, c, requestedAsOf);
    const { token: dateRange, windowMs } = range;
    const list = await hashtagsPage(service.reads.lists, {
      ...paging,
      ...moment,
      ...(platform === undefined ? {} : { platform }),
      dateRange,
      windowMs,
    });
    const windowsMs = [windowMs, 2 * windowMs];
    const like = { platform: platform ?? '', window: dateRange, at: moment.asOf } as const;
    const response = responseOf(
      list.pulledAt === null ? list : withForecasts(service.lake.sqlite, list, like),
      moment.asOf,
      paging.page,
      { windowsMs },
    );
    return respond(service, c, response, requestedAsOf);
  });
};
