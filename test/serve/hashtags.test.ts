import { beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/base/durations.ts';
import { type Filler, hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

// A service whose list covers all platforms, each item with its parts: the same figures under every
// address, and nothing counted over the few videos seen where a figure was pulled.

let running: Running;
const get: Running['get'] = (path, init) => running.get(path, init);

const pullAt = (into: Filler, at: number, volumes: Record<string, [number, number]>): void => {
  into.pulled({ list: 'hashtags', platform: '', period: '30d', at, total: 2 });
  for (const [index, [tag, [tiktok, youtube]]] of Object.entries(volumes).entries()) {
    const own = { tag, at, window: '30d' };
    into.hashtag({ ...own, platform: '', volume: tiktok + youtube, rank: index + 1, change: 0.44 });
    into.hashtag({ ...own, platform: 'tiktok', volume: tiktok });
    if (youtube > 0) into.hashtag({ ...own, platform: 'youtube', volume: youtube });
  }
};

beforeAll(async () => {
  running = await runService((into) => {
    for (let n = 0; n < 5; n++)
      into.video({ id: `tt_${n}`, tags: ['dance', 'rare'], snapshots: [[hoursAgo(n + 1), 10]] });
    pullAt(into, hoursAgo(2) - 30 * DAY_MS, { dance: [1000, 10] });
    pullAt(into, hoursAgo(2), { dance: [1214, 300], cook: [1300, 0] });
  });
});

test('the part of a platform is the one that the list over all states', async () => {
  const { body } = await get('/hashtags');
  expect(body.items.map(({ tag, volume, change }) => [tag, volume, change])).toEqual([
    ['dance', 1514, 0.44],
    ['cook', 1300, 0.44],
  ]);
  const tiktok = await get('/hashtags?platform=tiktok');
  expect(tiktok.body).toMatchObject({
    total: 2,
    asOf: body.asOf,
    items: [
      { tag: 'cook', volume: 1300, change: null },
      { tag: 'dance', volume: 1214, change: expect.closeTo(0.214, 5) },
    ],
  });
  expect(tiktok.text).not.toContain('sampled');
  const youtube = await get('/hashtags?platform=youtube');
  expect(youtube.body.items).toEqual([
    {
      tag: 'dance',
      volume: 300,
      views: null,
      change: 29,
      platforms: [{ platform: 'youtube', volume: 300, views: null }],
    },
  ]);
});

test('pages of it end where it ends', async () => {
  const second = await get('/hashtags?platform=tiktok&limit=1&page=2');
  expect(second.body).toMatchObject({ total: 2, items: [{ tag: 'dance' }] });
  const third = await get('/hashtags?platform=tiktok&limit=1&page=3');
  expect(third.body).toMatchObject({ total: 2, items: [] });
});

test('other windows, and platforms missing from the pulled list, are counted over the videos in the lake', async () => {
  for (const path of ['/hashtags?dateRange=7d', '/hashtags?dateRange=7d&platform=tiktok'])
    expect((await get(path)).body.items[0]).toMatchObject({
      tag: 'dance',
      volume: 5,
      change: null,
      sampled: true,
    });
  expect((await get('/hashtags?platform=instagram')).body).toMatchObject({ total: 0 });
});
