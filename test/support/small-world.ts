import { isoOf } from '../../src/iso.ts';

/** The instant every answer of the small world is true at. */
export const WORLD_AT = Date.UTC(2026, 2, 1);
const HOUR_MS = 3_600_000;
const PREFIX: Record<string, string> = { tiktok: 'tt', youtube: 'yt', instagram: 'ig' };
const VIDEOS = 120;

const itemOf = (platform: string, n: number, at: number) => {
  const grown = Math.round((at - WORLD_AT) / HOUR_MS);
  const views = 1000 * (VIDEOS - n) + 10 * n * grown;
  return {
    id: `${PREFIX[platform]}_${n}`,
    platform,
    title: `Video ${n} #tag${n % 5} #${platform}`,
    user: `user${n % 10}`,
    views,
    likes: views / 10,
    engagementRate: 10,
    createdAt: isoOf(WORLD_AT - (n + 1) * HOUR_MS),
  };
};

const pageOf = <T>(all: readonly T[], query: URLSearchParams, at: number) => {
  const limit = Number(query.get('limit') ?? 50);
  const page = Number(query.get('page') ?? 1);
  const items = all.slice((page - 1) * limit, page * limit);
  return { total: all.length, page, items, asOf: isoOf(at) };
};

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/**
 * What a small, well-behaved service answers at an instant: 120 videos in each feed, 20 in each
 * trends list, 12 hashtags. Pure, so that two lakes filled from it are equal.
 */
export const smallWorld = (url: URL, at = WORLD_AT): object | undefined => {
  const [, , resource, a = '', b = ''] = url.pathname.split('/').map(decodeURIComponent);
  const query = url.searchParams;
  const items = (platform: string, n: number) => range(n).map((i) => itemOf(platform, i, at));
  if (resource === 'feed') return pageOf(items(a, VIDEOS), query, at);
  if (resource === 'trends') return { platform: a, period: b, ...pageOf(items(a, 20), query, at) };
  if (resource === 'hashtags') {
    const tags = range(12).map((n) => ({
      tag: `tag${n}`,
      volume: 100 - n,
      views: 1_000_000 - n,
      change: n / 10,
      platforms: [{ platform: 'tiktok', volume: 60 - n, views: 600_000 - n }],
    }));
    return pageOf(tags, query, at);
  }
  if (resource === 'videos') {
    const platform = Object.keys(PREFIX).find((name) => a.startsWith(`${PREFIX[name]}_`)) ?? '';
    const snapshots = range(5).map((n) => ({
      at: isoOf(at - (5 - n) * HOUR_MS),
      views: 100 * n,
      likes: 10 * n,
      engagementRate: n === 0 ? null : 10,
    }));
    return { id: a, platform, snapshots, asOf: isoOf(at) };
  }
  if (resource !== 'creators') return undefined;
  const videos = items(a, VIDEOS).filter((item) => item.user === b);
  const counts = { followers: 1000, videoCount: videos.length, views: 5000, likes: 500 };
  const growth = [{ at: isoOf(at - HOUR_MS), followers: 990, views: 4000, likes: 400 }];
  return { platform: a, handle: b, ...counts, engagementRate: 10, videos, growth, asOf: isoOf(at) };
};
