import { PLATFORMS, type Platform, sourceCode } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import {
  type ComputedLists,
  computedPage,
  type ListMoment,
  type ListPage,
  type Paging,
} from './list-page.ts';
import { latestPulled, type PulledList } from './pulled-list.ts';

type Part = HashtagItem['platforms'][number];

const byPlatform = (parts: readonly Part[]): Part[] =>
  PLATFORMS.flatMap((name) => parts.filter((part) => part.platform === name));

/** Figures of a pulled list: those true while its pages were, over its window. */
const OF_LIST = `s.observed_at >= @capturedAt and s.observed_at <= @completedAt
    and coalesce(s.window, @period) = @period and s.platform = @platform`;

const PULLED = `
  select h.key as key, h.tag as tag, s.volume as volume, s.views as views, s.change as change,
    s.source as source, s.extra as extra, s.observed_at as observedAt
  from hashtag_snapshot s indexed by hashtag_snapshot_observed_at join hashtag h on h.key = s.hashtag_key
  where ${OF_LIST} and s.rank > @from and s.rank <= @to order by s.rank, s.observed_at desc`;

const PARTS = `select platform, volume, views from hashtag_snapshot
  where hashtag_key = ? and observed_at = ? and platform <> ''`;

const DEEPEST = `select coalesce(max(s.rank), 0)
  from hashtag_snapshot s indexed by hashtag_snapshot_observed_at where ${OF_LIST}`;

/** The figure of one platform in an earlier list of the same window, pulled about a window before. */
const BEFORE = `(select b.volume from hashtag_snapshot b
  where b.hashtag_key = s.hashtag_key and b.platform = s.platform and b.window = s.window
    and b.source = s.source and b.observed_at <= s.observed_at - @windowMs
    and b.observed_at > s.observed_at - @windowMs - @windowMs / 20
  order by b.observed_at desc limit 1)`;

/** Figures of one platform in a list over all platforms; of a tag on two pages the later one. */
const PART_OF_ALL = `
  with part as (
    select s.hashtag_key as key, s.volume, s.views, s.source, max(s.observed_at),
      s.volume * 1.0 / nullif(${BEFORE}, 0) - 1 as change
    from hashtag_snapshot s indexed by hashtag_snapshot_observed_at
    where ${OF_LIST} and s.source in (${sourceCode('hashtags')}, ${sourceCode('seen')}) group by 1
  )
  select h.tag, p.volume, p.views, p.change, p.source, count(*) over () as total
  from part p join hashtag h on h.key = p.key
  order by p.volume desc nulls last, p.views desc nulls last, h.key limit @limit offset @from`;

interface PulledRow {
  readonly tag: string;
  readonly volume: number | null;
  readonly views: number | null;
  readonly change: number | null;
  readonly source: number;
}

interface StoredRow extends PulledRow {
  readonly key: number;
  readonly observedAt: number;
  readonly extra: string | null;
}

const PULLED_ROW = {
  tag: 'text',
  volume: 'number?',
  views: 'number?',
  change: 'number?',
  source: 'number',
} as const;

const STORED_ROW = {
  ...PULLED_ROW,
  key: 'number',
  observedAt: 'number',
  extra: 'text?',
} as const;

const sampledMark = ({ source }: PulledRow): { sampled?: true } =>
  source === sourceCode('seen') ? { sampled: true } : {};

const pulledItem = (lake: Lake, row: StoredRow): HashtagItem => {
  const parts = prepared(lake, PARTS, {
    platform: 'platform',
    volume: 'number?',
    views: 'number?',
  }).all(row.key, row.observedAt);
  const shown = {
    tag: row.tag,
    volume: row.volume,
    views: row.views,
    change: row.change,
    platforms: byPlatform(parts),
    ...sampledMark(row),
  };
  const extra = row.extra === null ? {} : (JSON.parse(row.extra) as Record<string, unknown>);
  return { ...shown, ...extra, ...shown };
};

/** A pulled list, and the version of the lake it was read from. */
interface Held {
  readonly pulled: PulledList;
  readonly version: number;
}

const pageOf = (
  { pulled: { completedAt: asOf }, version }: Held,
  { total, held = total }: { total: number; held?: number },
  items: HashtagItem[],
): ListPage<HashtagItem> => ({
  total,
  held,
  items,
  asOf,
  pulledAt: asOf,
  version,
});

const pulledPage = (lake: Lake, held: Held, paging: Paging): ListPage<HashtagItem> => {
  const from = (paging.page - 1) * paging.limit;
  const { capturedAt, completedAt, platform, period, total } = held.pulled;
  const list = { capturedAt, completedAt, platform, period };
  const rows = prepared(lake, PULLED, STORED_ROW).all({
    ...list,
    from,
    to: from + paging.limit,
  });
  const items = rows.map((row) => pulledItem(lake, row));
  const deepest = required(prepared(lake, DEEPEST, 'number').get(list));
  return pageOf(held, { total: total ?? deepest, held: deepest }, items);
};

const PULLED_ONE = `select s.rank as rank, h.key as key, h.tag as tag, s.volume as volume, s.views as views,
    s.change as change, s.source as source, s.extra as extra, s.observed_at as observedAt
  from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key
  where s.hashtag_key = +@key and ${OF_LIST} order by s.observed_at desc limit 1`;

/** One hashtag as a pulled list has it. */
export interface PulledHashtag {
  readonly item: HashtagItem;
  readonly rank: number | null;
  readonly pulledAt: number; // Unix ms
}

/**
 * One hashtag in the pulled list over all platforms that `GET /hashtags` answers from; undefined where
 * no such list was pulled, or not as deep as the tag stands.
 */
export const pulledHashtag = (
  lake: Lake,
  { key, dateRange, asOf }: { key: number; dateRange: string; asOf: number },
): PulledHashtag | undefined => {
  const pulled = latestPulled(lake, { list: 'hashtags', platform: '', period: dateRange }, asOf);
  if (pulled === undefined) return undefined;
  const { capturedAt, completedAt, platform, period } = pulled;
  const list = { key, capturedAt, completedAt, platform, period };
  const row = prepared(lake, PULLED_ONE, {
    ...STORED_ROW,
    rank: 'number?',
  }).get(list);
  return row === undefined
    ? undefined
    : { item: pulledItem(lake, row), rank: row.rank, pulledAt: completedAt };
};

/** The part that a list over all platforms has of one; undefined where it has none. */
const partPage = (
  lake: Lake,
  held: Held,
  { platform, windowMs, limit, page }: Paging & { platform: Platform; windowMs: number },
): ListPage<HashtagItem> | undefined => {
  const { capturedAt, completedAt, period } = held.pulled;
  const list = { capturedAt, completedAt, period, platform, windowMs };
  const read = (from: number) =>
    prepared(lake, PART_OF_ALL, {
      ...PULLED_ROW,
      total: 'number',
    }).all({ ...list, limit, from });
  const rows = read((page - 1) * limit);
  const total = rows[0]?.total ?? read(0)[0]?.total;
  if (total === undefined) return undefined;
  const items = rows.map((row) => {
    const { tag, volume, views, change } = row;
    const platforms = [{ platform, volume, views }];
    return { tag, volume, views, change, platforms, ...sampledMark(row) };
  });
  return pageOf(held, { total }, items);
};

/**
 * `GET /hashtags`. Pulled figures come first: the pulled list of that platform and dateRange as it
 * is, else that platform's part of the pulled list over all, by volume; its `change` is known once
 * such a part was pulled a window before. Only where the lake holds neither are tags counted over the
 * distinct videos seen with them inside the window, and each says that it is `sampled`.
 */
export const hashtagsPage = async (
  lists: ComputedLists,
  query: ListMoment & { platform?: Platform; dateRange: string; windowMs: number },
): Promise<ListPage<HashtagItem>> => {
  const { platform, dateRange: period, windowMs, asOf } = query;
  const { lake } = lists;
  const version = lakeVersion(lake);
  const latest = (of: Platform | ''): PulledList | undefined =>
    latestPulled(lake, { list: 'hashtags', platform: of, period }, asOf);
  const own = latest(platform ?? '');
  if (own !== undefined) return pulledPage(lake, { pulled: own, version }, query);
  const overall = platform === undefined ? undefined : latest('');
  if (overall !== undefined && platform !== undefined) {
    const part = partPage(lake, { pulled: overall, version }, { ...query, platform });
    if (part !== undefined) return part;
  }
  const wanted = { list: 'hashtags', platform: platform ?? '', windowMs } as const;
  return computedPage(lists, wanted, query);
};
