import { PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import { lakeVersion } from '../lake/lake-version.ts';
import type { Lake } from '../lake/open.ts';
import { statement } from '../lake/statements.ts';
import type { HashtagItem } from '../wire/shapes.ts';
import {
  type ComputedLists,
  computedPage,
  type ListMoment,
  type ListPage,
  type Paging,
  type Reading,
} from './list-page.ts';
import { latestPulled, type PulledList } from './pulled-list.ts';

type Part = HashtagItem['platforms'][number];

const byPlatform = (parts: readonly Part[]): Part[] =>
  PLATFORMS.flatMap((name) => parts.filter((part) => part.platform === name));

const PULLED = `
  select h.key as key, h.tag as tag, s.volume as volume, s.views as views, s.change as change,
    s.extra as extra, s.observed_at as observedAt
  from hashtag_snapshot s indexed by hashtag_snapshot_observed_at join hashtag h on h.key = s.hashtag_key
  where s.observed_at >= @capturedAt and s.observed_at <= @completedAt and s.platform = @platform
    and s.rank > @from and s.rank <= @to order by s.rank, s.observed_at desc`;

const PARTS = `select platform, volume, views from hashtag_snapshot
  where hashtag_key = ? and observed_at = ? and platform <> ''`;

const DEEPEST = `select coalesce(max(s.rank), 0) from hashtag_snapshot s indexed by hashtag_snapshot_observed_at
  where s.observed_at >= ? and s.observed_at <= ? and s.platform = ?`;

interface PulledRow {
  readonly tag: string;
  readonly volume: number | null;
  readonly views: number | null;
  readonly change: number | null;
  readonly key: number;
  readonly observedAt: number;
  readonly extra: string | null;
}

const pulledItem = (lake: Lake, row: PulledRow): HashtagItem => {
  const parts = statement(lake, PARTS).all(row.key, row.observedAt) as Part[];
  const shown = {
    tag: row.tag,
    volume: row.volume,
    views: row.views,
    change: row.change,
    platforms: byPlatform(parts),
  };
  const extra = row.extra === null ? {} : (JSON.parse(row.extra) as Record<string, unknown>);
  return { ...shown, ...extra, ...shown };
};

const pulledPage = (
  lake: Lake,
  { pulled, version }: { pulled: PulledList; version: number },
  paging: Paging,
): ListPage<HashtagItem> => {
  const from = (paging.page - 1) * paging.limit;
  const { capturedAt, completedAt, platform } = pulled;
  const rows = statement(lake, PULLED).all({
    capturedAt,
    completedAt,
    platform,
    from,
    to: from + paging.limit,
  }) as PulledRow[];
  const held = (): number =>
    statement(lake, DEEPEST).pluck().get(capturedAt, completedAt, platform) as number;
  const items = rows.map((row) => pulledItem(lake, row));
  return {
    total: pulled.total ?? held(),
    items: () => items,
    asOf: completedAt,
    pulledAt: completedAt,
    isStale: false,
    version,
  };
};

/**
 * `GET /hashtags`: the pulled list of that dateRange where the lake holds one; else tags by the
 * number of distinct videos seen with them inside the window. `views` is the sum over those videos.
 */
export const hashtagsPage = (
  lists: ComputedLists,
  asked: ListMoment & { platform?: Platform; dateRange: string; windowMs: number },
): Reading<ListPage<HashtagItem>> => {
  const version = lakeVersion(lists.lake);
  const platform = asked.platform ?? '';
  const which = { list: 'hashtags', platform, period: asked.dateRange } as const;
  const pulled = latestPulled(lists.lake, which, asked.asOf);
  if (pulled !== undefined) return pulledPage(lists.lake, { pulled, version }, asked);
  return computedPage(lists, { list: 'hashtags', platform, windowMs: asked.windowMs }, asked);
};
