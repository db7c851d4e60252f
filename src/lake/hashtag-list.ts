import { PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import type { HashtagItem } from '../api/wire.ts';
import { type RankedList, rankedPart, topOf } from './list-cache.ts';
import type { Lake } from './open.ts';
import { latestPulled, type PulledList } from './pulled-list.ts';
import { statement } from './statements.ts';
import type { ListPage, Paging } from './video-lists.ts';

const PARTS_OF_VOLUMES = PLATFORMS.map(
  (name) => `count(*) filter (where v.platform = '${name}') as ${name},
    total(l.views) filter (where v.platform = '${name}') as ${name}_views,
    count(l.views) filter (where v.platform = '${name}') as ${name}_known`,
).join(', ');

/** Distinct videos seen with each tag in a window, by platform, and their views as last known there. */
const VOLUMES = `
  with seen as materialized (
    select s.video_key as key, max(s.observed_at) as last_at
    from video_snapshot s indexed by video_snapshot_observed_at
    where s.observed_at > @from and s.observed_at <= @to group by s.video_key)
  select vh.hashtag_key as key, ${PARTS_OF_VOLUMES}
  from seen cross join video v on v.key = seen.key
  cross join video_snapshot l on l.video_key = seen.key and l.observed_at = seen.last_at
  cross join video_hashtag vh on vh.video_key = seen.key
  where @platform = '' or v.platform = @platform
  group by vh.hashtag_key`;

/** The same without the views, for the window before. */
const VOLUMES_BEFORE = `
  with seen as materialized (
    select distinct s.video_key as key from video_snapshot s indexed by video_snapshot_observed_at
    where s.observed_at > @from and s.observed_at <= @to)
  select vh.hashtag_key as key, count(*) as volume
  from seen cross join video v on v.key = seen.key
  cross join video_hashtag vh on vh.video_key = seen.key
  where @platform = '' or v.platform = @platform
  group by vh.hashtag_key`;

const TAG = 'select tag from hashtag where key = ?';

interface Part {
  readonly platform: Platform;
  readonly volume: number | null;
  readonly views: number | null;
}

/** One tag's volumes in a window; `before` is that of the equal window before, 0 when none. */
interface Volume {
  readonly key: number; // hashtag.key
  readonly parts: Part[];
  readonly volume: number;
  readonly views: number | null;
  before: number;
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly platform: Platform | '';
}

/** Sum of two sums; null where nothing is known, or past what a count can state. */
const plus = (a: number | null, b: number | null): number | null => {
  const sum = (a ?? 0) + (b ?? 0);
  return (a === null && b === null) || !Number.isSafeInteger(sum) ? null : sum;
};

/** One row of VOLUMES: the key, then count, views and known views of each platform. */
const volumeOf = ([key, ...counts]: readonly [number, ...number[]]): Volume => {
  const parts = PLATFORMS.flatMap((platform, index) => {
    const [volume = 0, views = 0, known = 0] = counts.slice(3 * index, 3 * index + 3);
    return volume === 0
      ? []
      : [{ platform, volume, views: plus(known === 0 ? null : views, null) }];
  });
  return {
    key,
    parts,
    volume: parts.reduce((sum, part) => sum + part.volume, 0),
    views: parts.reduce<number | null>((sum, part) => plus(sum, part.views), null),
    before: 0,
  };
};

function* volumes(lake: Lake, window: Window): Generator<Volume> {
  const rows = statement(lake, VOLUMES).raw().iterate(window);
  for (const row of rows as IterableIterator<[number, ...number[]]>) yield volumeOf(row);
}

/** Most videos first; equal ones by views, then by the order they were first seen in. */
const byVolume = (a: Volume, b: Volume): number =>
  b.volume - a.volume || (b.views ?? -1) - (a.views ?? -1) || a.key - b.key;

const ranked = (
  lake: Lake,
  windowMs: number,
  window: Window,
  depth: number,
): RankedList<Volume> => {
  const list = topOf(volumes(lake, window), byVolume, depth);
  const byKey = new Map(list.top.map((volume) => [volume.key, volume]));
  const earlier = { ...window, from: window.from - windowMs, to: window.from };
  const before = statement(lake, VOLUMES_BEFORE).raw().iterate(earlier);
  for (const [key, volume] of before as IterableIterator<[number, number]>) {
    const known = byKey.get(key);
    if (known !== undefined) known.before = volume;
  }
  return list;
};

const byPlatform = (parts: readonly Part[]): Part[] =>
  PLATFORMS.flatMap((name) => parts.filter((part) => part.platform === name));

const computedItem = (lake: Lake, { key, parts, volume, views, before }: Volume): HashtagItem => ({
  tag: statement(lake, TAG).pluck().get(key) as string,
  volume,
  views,
  change: before === 0 ? null : volume / before - 1,
  platforms: byPlatform(parts),
});

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

const pulledPage = (lake: Lake, pulled: PulledList, paging: Paging): ListPage<HashtagItem> => {
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
  return {
    total: pulled.total ?? held(),
    items: rows.map((row) => pulledItem(lake, row)),
    asOf: completedAt,
    pulledAt: completedAt,
    isStale: false,
  };
};

/**
 * `GET /hashtags`: the pulled list of that dateRange where the lake holds one; else tags by the
 * number of distinct videos seen with them inside the window. `views` is the sum over those videos.
 */
export const hashtagsPage = (
  lake: Lake,
  asked: Paging & { platform?: Platform; dateRange: string; windowMs: number; asOf: number },
): ListPage<HashtagItem> => {
  const { dateRange, windowMs, asOf } = asked;
  const platform = asked.platform ?? '';
  const pulled = latestPulled(lake, { list: 'hashtags', platform, period: dateRange }, asOf);
  if (pulled !== undefined) return pulledPage(lake, pulled, asked);
  const ask = {
    name: `hashtags ${platform} ${windowMs}`,
    asOf,
    windowsMs: [windowMs, 2 * windowMs],
    from: (asked.page - 1) * asked.limit,
    count: asked.limit,
  };
  const { part, ...list } = rankedPart(lake, ask, (to, depth) =>
    ranked(lake, windowMs, { from: to - windowMs, to, platform }, depth),
  );
  return { ...list, items: part.map((volume) => computedItem(lake, volume)), pulledAt: null };
};
