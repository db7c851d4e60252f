import { z } from '@hono/zod-openapi';
import { feedResponse } from '../../base/wire/shapes.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import { momentOf, respond, type ServiceApp, type ServiceContext } from '../request/context.ts';
import { describeGet } from '../request/describe.ts';
import {
  asOf as asOfParameter,
  limit,
  openDateRange,
  page,
  platformQuery,
  searchText,
} from '../request/parameters.ts';
import { respondGet } from '../request/respond-get.ts';

const search = describeGet({
  path: '/search',
  operationId: 'search',
  summary: 'Full-text search across the cross-platform index',
  request: {
    query: z.object({
      q: searchText,
      platform: platformQuery,
      dateRange: openDateRange,
      limit,
      page,
      asOf: asOfParameter,
    }),
  },
  response: feedResponse,
  problems: ['invalid-parameter'],
});

/** `GET /search`. */
export const searchRoute = (app: ServiceApp, service: ServiceContext): void => {
  respondGet(app, service, search, async (c) => {
    const { q, platform, dateRange, asOf: requestedAsOf, ...paging } = c.req.valid('query');
    const windowMs = dateRange?.windowMs;
    const { total, items, asOf, version } = await service.reads.search({
      q,
      platform,
      windowMs,
      ...paging,
      ...momentOf(service, c, requestedAsOf),
    });
    const windowsMs = windowMs === undefined ? [] : [windowMs];
    const mayRepeat = version === null ? {} : { readFor: { at: asOf, version }, windowsMs };
    const observedAt = newestSnapshotAt(service.lake, asOf);
    const body = { total, page: paging.page, items };
    return respond(service, c, { body, asOf, observedAt, ...mayRepeat }, requestedAsOf);
  });
};
