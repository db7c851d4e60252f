import { PLATFORMS, type Platform, sourceCode } from '../../../schema/vocabulary.ts';
import type { HashtagItem } from '../../base/wire/shapes.ts';
import { lakeVersion } from '../lake-version.ts';
import type { Lake } from '../open.ts';
import { type RowOf, required } from '../prepare.ts';
import { prepared } from '../statements.ts';
import {
  type ComputedLists,
  computedPage,
  type ListMoment,
  type ListPage,
  type Paging,
} from './list-page.ts';
import { type HeldList, latestPulled, type PulledList, pulledListPage } from './pulled-list.ts';

/** Figures of a pulled list: those true while its pages were, over its window. */
const OF_LIST = `s.observed_at >= @capturedAt and s.observed_at <= @completedAt
    and coalesce(s.window, @period) = @period and s.platform = @platform`;

const STORED = `h.key as key, h.tag as tag, s.rank as rank, s.volume as volume, s.views as views,
  s.change as change, s.source as source, s.extra as extra, s.observed_at as observedAt`;

const PULLED = `
  select ${STORED}
  from hashtag_snapshot s indexed by hashtag_snapshot_observed_at join hashtag h on h.key = s.hashtag_key
  where ${OF_LIST} and s.rank > @from and s.rank <= @to order by s.rank, s.observed_at desc`;

const PULLED_ONE = `
  select ${STORED} from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key
  where s.hashtag_key = +@key and ${OF_LIST} order by s.observed_at desc limit 1`;

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
  rank: 'number?',
  observedAt: 'number',
  extra: 'text?',
} as const;
type StoredRow = RowOf<typeof STORED_ROW>;

const sampledMark = ({ source }: Pick<StoredRow, 'source'>): { sampled?: true } =>
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
    platforms: PLATFORMS.flatMap((name) => parts.filter(({ platform }) => platform === name)),
    ...sampledMark(row),
  };
  const extra = row.extra === null ? {} : (JSON.parse(row.extra) as Record<string, unknown>);
  return { ...shown, ...extra, ...shown };
};

const pulledPage = (lake: Lake, held: HeldList, paging: Paging): ListPage<HashtagItem> => {
  const from = (paging.page - 1) * paging.limit;
  const rows = prepared(lake, PULLED, STORED_ROW).all({
    ...held.pulled,
    from,
    to: from + paging.limit,
  });
  const items = rows.map((row) => pulledItem(lake, row));
  const deepest = required(prepared(lake, DEEPEST, 'number').get(held.pulled));
  return pulledListPage(held, { total: held.pulled.total ?? deepest, held: deepest, items });
};

/** One hashtag as a pulled list has it. */
export interface PulledHashtag {
  readonly item: HashtagItem;
  readonly rank: number | null;
  readonly pulledAt: number; // Unix ms
}

/**
 * One hashtag in the pulled list over all platforms that `GET /hashtags` answers from; undefined where
 * no such list was pulled, or none as deep as the tag.
 */
export const pulledHashtag = (
  lake: Lake,
  { key, dateRange, asOf }: { key: number; dateRange: string; asOf: number },
): PulledHashtag | undefined => {
  const pulled = latestPulled(lake, { list: 'hashtags', platform: '', period: dateRange }, asOf);
  if (pulled === undefined) return undefined;
  const row = prepared(lake, PULLED_ONE, STORED_ROW).get({ ...pulled, key });
  return row === undefined
    ? undefined
    : { item: pulledItem(lake, row), rank: row.rank, pulledAt: pulled.completedAt };
};

/** The part that a list over all platforms has of one; undefined where it has none. */
const partPage = (
  lake: Lake,
  held: HeldList,
  { platform, windowMs, limit, page }: Paging & { platform: Platform; windowMs: number },
): ListPage<HashtagItem> | undefined => {
  const list = { ...held.pulled, platform, windowMs };
  const read = (from: number) =>
    prepared(lake, PART_OF_ALL, { ...PULLED_ROW, total: 'number' }).all({ ...list, limit, from });
  const rows = read((page - 1) * limit);
  const total = rows[0]?.total ?? read(0)[0]?.total;
  if (total === undefined) return undefined;
  const items = rows.map((row) => {
    const { tag, volume, views, change } = row;
    const platforms = [{ platform, volume, views }];
    return { tag, volume, views, change, platforms, ...sampledMark(row) };
  });
  return pulledListPage(held, { total, held: total, items });
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
