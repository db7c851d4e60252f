import type { Period, Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { readContentItems } from '../read/content-items.ts';
import {
  type ComputedLists,
  computedPage,
  type ListMoment,
  type ListPage,
  type Paging,
  type Soon,
} from './list-page.ts';
import { deepestRank, latestPulled, type PulledList, pulledEntries } from './pulled-list.ts';

const pulledPage = (
  lake: Lake,
  { pulled, version }: { pulled: PulledList; version: number },
  paging: Paging,
): ListPage<ContentItem> => {
  const from = (paging.page - 1) * paging.limit;
  const entries = pulledEntries(lake, pulled.key, from, from + paging.limit);
  const read = readContentItems(lake, entries, pulled.completedAt, 'seen');
  return {
    total: pulled.total ?? deepestRank(lake, pulled.key),
    held: () => deepestRank(lake, pulled.key),
    items: read.objects,
    itemsText: read.text,
    asOf: pulled.completedAt,
    pulledAt: pulled.completedAt,
    isStale: false,
    version,
  };
};

/**
 * `GET /feed/{platform}`: the pulled feed of that dateRange where the lake holds one, in its order;
 * else the platform's videos seen inside the window, by score (src/lake/lists/score.ts).
 */
export const feedPage = (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; dateRange: string; windowMs: number },
): Soon<ListPage<ContentItem>> => {
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
export const trendsPage = (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; period: Period },
): Soon<ListPage<ContentItem>> => {
  const { platform, period, asOf } = query;
  const version = lakeVersion(lists.lake);
  const pulled = latestPulled(lists.lake, { list: 'trends', platform, period }, asOf);
  if (pulled !== undefined) return pulledPage(lists.lake, { pulled, version }, query);
  return computedPage(lists, { list: 'trends', platform, period }, query);
};
