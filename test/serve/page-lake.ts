import { DAY_MS } from '../../src/base/durations.ts';
import { type Filler, hoursAgo, NOW } from './filled-lake.ts';

/** Number of videos in the pulled feed of TikTok. */
export const FEED = 120;

/**
 * A lake with something for every page: a feed pulled twice, trends, pulled hashtags, a creator counted
 * twice a week apart, videos that grew past milestones, and a video that once had other words.
 */
export const fillPages = (into: Filler): void => {
  for (let n = 1; n <= FEED; n++)
    into.video({
      id: `tt_${n}`,
      title: `clip ${n}, "quoted" #dance`,
      user: n % 3 === 0 ? 'mira' : 'theo',
      tags: ['dance', ...(n % 2 === 0 ? ['music'] : [])],
      createdAt: hoursAgo(100 + n),
      snapshots: [
        [hoursAgo(90), 5000 + n, 10],
        [hoursAgo(50), 90_000 * n, 20 * n],
        [hoursAgo(2), 100_000 * n, n === 7 ? null : 1000 * (FEED - n)],
      ],
    });
  into.video({ id: 'yt_1', title: 'a tube', user: 'Tuber', snapshots: [[hoursAgo(3), 50_000]] });
  const ranks = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) => ({
      rank: i + 1,
      id: `tt_${((from + i) % FEED) + 1}`,
      velocity: 1000 - i,
    }));
  const feed = { list: 'feed', platform: 'tiktok', period: '24h' } as const;
  into.pulled({ ...feed, at: hoursAgo(26), total: FEED, ranks: ranks(FEED, 60) });
  into.pulled({ ...feed, at: hoursAgo(2), total: 500, ranks: ranks(FEED, 0) });
  into.pulled({
    list: 'trends',
    platform: 'tiktok',
    period: 'week',
    at: hoursAgo(2),
    total: 3,
    ranks: ranks(3, 9),
  });
  const tags = { list: 'hashtags', platform: '', period: '30d' } as const;
  for (const [at, grow] of [
    [hoursAgo(26), 0],
    [hoursAgo(2), 100],
  ] as const) {
    into.pulled({ ...tags, at, total: 60 });
    for (let rank = 1; rank <= 60; rank++) {
      const of = { tag: rank === 1 ? 'dance' : `tag${rank}`, at, window: '30d' };
      const volume = 5000 - rank + grow;
      into.hashtag({ ...of, platform: '', rank, volume, views: 10 * volume, change: 0.1 });
      into.hashtag({ ...of, platform: 'tiktok', volume: volume - 1000 });
    }
  }
  into.creator({
    platform: 'tiktok',
    handle: 'mira',
    snapshots: [
      [NOW - 9 * DAY_MS, 1000, 5, 10, 1],
      [hoursAgo(2), 1900, 6, 20, 2],
    ],
  });
  into.creator({
    platform: 'tiktok',
    handle: 'theo',
    snapshots: [[hoursAgo(5), 70_000]],
  });
  into.event({ id: 'evt_1', kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(4) });
};
