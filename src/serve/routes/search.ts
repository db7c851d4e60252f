import { z } from '@hono/zod-openapi';
import { feedAnswer } from '../../api/wire.ts';
import { contentItems } from '../../lake/content-items.ts';
import type { Lake } from '../../lake/open.ts';
import type { SearchAsk, SearchResult } from '../../lake/search.ts';
import { newestLook } from '../../lake/validity.ts';
import { answerGet } from '../answer-get.ts';
import { instantAsked, respond, type ServiceApp, type ServiceContext } from '../context.ts';
import { describeGet } from '../describe.ts';
import { asOf, limit, openDateRange, page, platformQuery, searchText } from '../parameters.ts';

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
      asOf,
    }),
  },
  answer: feedAnswer,
  problems: ['invalid-parameter'],
});

/** Longest a search may hold up the other requests. */
const SEARCH_DEADLINE_MS = 500;

/** Finds video keys, best match first. */
export type SearchVideos = (lake: Lake, asked: SearchAsk) => Pick<SearchResult, 'total' | 'keys'>;

/** `GET /search`. */
export const searchRoute = (
  app: ServiceApp,
  service: ServiceContext,
  searchVideos: SearchVideos,
): void => {
  answerGet(app, service, search, (c) => {
    const { q, platform, dateRange, asOf: asked, ...paging } = c.req.valid('query');
    const at = instantAsked(service, asked);
    const { total, keys } = searchVideos(service.lake, {
      q,
      ...paging,
      ...(platform === undefined ? {} : { platform }),
      ...(dateRange === undefined ? {} : { since: at - dateRange.windowMs }),
      asOf: at,
      deadlineMs: SEARCH_DEADLINE_MS,
    });
    const before = (paging.page - 1) * paging.limit;
    const places = keys.map((key, index) => ({
      key,
      rank: before + index + 1,
      score: null,
      velocity: null,
    }));
    return respond(
      service,
      c,
      {
        body: { total, page: paging.page, items: contentItems(service.lake, places, at) },
        asOf: at,
        observedAt: newestLook(service.lake, at),
        windowsMs: dateRange === undefined ? [] : [dateRange.windowMs],
      },
      asked,
    );
  });
};
