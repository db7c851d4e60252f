import { feedResponse } from '../../base/wire/shapes.ts';
import { newestSnapshotAt } from '../../lake/read/validity.ts';
import type { ReadContext } from '../request/context.ts';
import { getRoute } from '../request/describe.ts';
import {
  asOf,
  limit,
  openDateRange,
  page,
  platformQuery,
  searchText,
} from '../request/parameters.ts';

export const searchRoute = getRoute({
  path: '/search',
  operationId: 'search',
  summary: 'Full-text search across the cross-platform index',
  query: { q: searchText, platform: platformQuery, dateRange: openDateRange, limit, page, asOf },
  response: feedResponse,
  read: async ({ lake, reads }: ReadContext, { q, platform, dateRange, limit, page }, moment) => {
    const windowMs = dateRange?.windowMs;
    const wish = { q, platform, windowMs, limit, page };
    const { total, items, asOf, version } = await reads.search({ ...wish, ...moment });
    const windowsMs = windowMs === undefined ? [] : [windowMs];
    const mayRepeat = version === null ? {} : { readFor: { at: asOf, version }, windowsMs };
    const observedAt = newestSnapshotAt(lake, asOf);
    return { body: { total, page, items }, asOf, observedAt, ...mayRepeat };
  },
});
