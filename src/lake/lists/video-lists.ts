import type { Period, Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { contentItems } from '../read/content-items.ts';
import {
  type ComputedLists,
  computedPage,
  type ListMoment,
  type ListPage,
  type Paging,
} from './list-page.ts';
import { deepestRank, latestPulled, type PulledList, pulledEntries } from './pulled-list.ts';

const pulledPage = (
  lake: Lake,
  { pulled, version }: { pulled: PulledList; version: number },
  paging: Paging,
): ListPage<ContentItem> => {
  const from = (paging.page - 1) * paging.limit;
  const entries = pulledEntries(lake, pulled.key, from, from + paging.limit);
  const held = deepestRank(lake, pulled.key);
  return {
    total: pulled.total ?? held,
    held,
    items: contentItems(lake, entries, pulled.completedAt, 'seen'),
    asOf: pulled.completedAt,
    pulledAt: pulled.completedAt,
    version,
  };
};

/**
 * `GET /feed/{platform}`: the pulled feed of that dateRange where the lake holds one, in its order;
 * else the platform's videos seen inside the window, by score (src/lake/lists/score.ts).
 */
export const feedPage = async (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; dateRange: string; windowMs: number },
): Promise<ListPage<ContentItem>> => {
  const { platform, dateRange, windowMs, asOf } = query;
  const version = lakeVersion(lists.lake);
  const which = { list: 'feed', platform, period: dateRange } as const;
  const pulled = latestPulled(lists.lake, which, asOf);
  if (pulled !== undefined) return pulledPage(lists.lake, { pulled, version }, query);
  return computedPage(lists, { list: 'feed', platform, windowMs }, query);
};

/**
 * `GET /trends/{platform}/{period}`: the pulled list, else videos seen inside the period by views
 * gained in it. Videos that gained nothing are left out. Videos with an unknown gain come last.
 */
export const trendsPage = async (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; period: Period },
): Promise<ListPage<ContentItem>> => {
  const { platform, period, asOf } = query;
  const version = lakeVersion(lists.lake);
  const pulled = latestPulled(lists.lake, { list: 'trends', platform, period }, asOf);
  if (pulled !== undefined) return pulledPage(lists.lake, { pulled, version }, query);
  return computedPage(lists, { list: 'trends', platform, period }, query);
};
