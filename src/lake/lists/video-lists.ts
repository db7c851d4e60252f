import type { Period, Platform } from '../../../schema/vocabulary.ts';
import type { ContentItem } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../lake-version.ts';
import { contentItems } from '../read/content-items.ts';
import type { ListQuery } from './computed-list.ts';
import { type ComputedLists, computedPage, type ListMoment, type ListPage } from './list-page.ts';
import { deepestRank, latestPulled, pulledEntries, pulledListPage } from './pulled-list.ts';

/** A page of the pulled list of that name, else of the computed one. */
const pageOf = async (
  lists: ComputedLists,
  wanted: Exclude<ListQuery, { list: 'hashtags' }>,
  period: string,
  moment: ListMoment,
): Promise<ListPage<ContentItem>> => {
  const { lake } = lists;
  const version = lakeVersion(lake);
  const { list, platform } = wanted;
  const pulled = latestPulled(lake, { list, platform, period }, moment.asOf);
  if (pulled === undefined) return computedPage(lists, wanted, moment);
  const from = (moment.page - 1) * moment.limit;
  const entries = pulledEntries(lake, pulled.key, from, from + moment.limit);
  const held = deepestRank(lake, pulled.key);
  const items = contentItems(lake, entries, pulled.completedAt, 'seen');
  return pulledListPage({ pulled, version }, { total: pulled.total ?? held, held, items });
};

/**
 * `GET /feed/{platform}`: the pulled feed of that dateRange where the lake holds one, in its order;
 * else the platform's videos seen inside the window, by score (src/lake/lists/score.ts).
 */
export const feedPage = (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; dateRange: string; windowMs: number },
): Promise<ListPage<ContentItem>> => {
  const { platform, dateRange, windowMs } = query;
  return pageOf(lists, { list: 'feed', platform, windowMs }, dateRange, query);
};

/**
 * `GET /trends/{platform}/{period}`: the pulled list, else videos seen inside the period by views
 * gained in it. Videos that gained nothing are left out. Videos with an unknown gain come last.
 */
export const trendsPage = (
  lists: ComputedLists,
  query: ListMoment & { platform: Platform; period: Period },
): Promise<ListPage<ContentItem>> => {
  const { platform, period } = query;
  return pageOf(lists, { list: 'trends', platform, period }, period, query);
};
