import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const get: Running['get'] = (path, init) => running.get(path, init);

beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_a',
      extra: { niche: 'food', __proto__: { bad: 1 } },
      snapshots: [
        [hoursAgo(5), 10, 1],
        [hoursAgo(3), 1000, 5],
        [hoursAgo(1), 5000, 6],
      ],
    });
    into.video({
      id: 'tt_b',
      snapshots: [
        [hoursAgo(5), 9_000_000, 9],
        [hoursAgo(3), null, 9],
      ],
    });
    into.video({ id: 'tt_c', snapshots: [[hoursAgo(3), 4, 4]] });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: hoursAgo(5),
      total: 7,
      ranks: [
        { rank: 1, id: 'tt_b' },
        { rank: 2, id: 'tt_a' },
      ],
    });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: hoursAgo(3) - 500,
      completedAt: hoursAgo(3),
      total: 300,
      ranks: [
        { rank: 1, id: 'tt_a', score: 9.5, velocity: 12 },
        { rank: 2, id: 'tt_b' },
        { rank: 4, id: 'tt_c' },
      ],
    });
    into.pulled({
      list: 'trends',
      platform: 'tiktok',
      period: 'week',
      at: hoursAgo(2),
      total: null,
      ranks: [{ rank: 1, id: 'tt_c' }],
    });
    into.pulled({ list: 'feed', platform: 'youtube', period: '24h', at: hoursAgo(2), total: 0 });
    into.pulled({ list: 'hashtags', platform: '', period: '30d', at: hoursAgo(2), total: 2 });
    into.hashtag({
      tag: 'Zeta',
      platform: '',
      at: hoursAgo(2),
      volume: 1,
      rank: 1,
      change: 0.5,
      extra: { hot: true },
    });
    into.hashtag({ tag: 'alpha', platform: '', at: hoursAgo(2), volume: 99, views: 3, rank: 2 });
    into.hashtag({ tag: 'alpha', platform: 'youtube', at: hoursAgo(2), volume: 90 });
    into.hashtag({ tag: 'alpha', platform: 'tiktok', at: hoursAgo(2), volume: 9, views: 3 });
    into.hashtag({ tag: 'imported', platform: 'tiktok', at: hoursAgo(2), volume: 1000 });
  });
});

test('the latest pulled list comes as pulled: order, total, counts, further fields, its instant', async () => {
  const { body, headers } = await get('/feed/tiktok');
  expect(body).toMatchObject({ total: 4, matched: 300, page: 1, asOf: '2026-03-10T09:00:00.000Z' });
  expect(
    body.items.map((item) => [item.id, item.rank, item.views, item.score, item.velocity]),
  ).toEqual([
    ['tt_a', 1, 1000, 9.5, 12],
    ['tt_b', 2, null, null, null],
    ['tt_c', 4, 4, null, null],
  ]);
  expect(body.items[0]?.niche).toBe('food');
  expect(headers.get('age')).toBe('10800');
  expect(headers.get('last-modified')).toBe('Tue, 10 Mar 2026 09:00:00 GMT');
});

test('a page holds the ranks it held upstream; one past what is held is empty', async () => {
  expect((await get('/feed/tiktok?limit=2&page=2')).body.items.map((item) => item.id)).toEqual([
    'tt_c',
  ]);
  expect((await get('/feed/tiktok?limit=100&page=2')).body).toMatchObject({
    total: 4,
    matched: 300,
    items: [],
  });
});

test('as of an earlier instant the list of then; before any, one from observations', async () => {
  const then = await get('/feed/tiktok?asOf=2026-03-10T08:00:00Z');
  expect(then.body.items.map((item) => [item.id, item.views])).toEqual([
    ['tt_b', 9_000_000],
    ['tt_a', 10],
  ]);
  expect(then.body.asOf).toBe('2026-03-10T07:00:00.000Z');
  const between = await get('/feed/tiktok?asOf=2026-03-10T08:59:59.700Z');
  expect(between.body).toMatchObject({ total: 2, matched: 7 });
  expect((await get('/feed/tiktok?asOf=2026-03-10T06:00:00Z')).body).toMatchObject({
    total: 0,
    asOf: '2026-03-10T06:00:00.000Z',
  });
});

test('another dateRange was not pulled and is computed; an empty pulled list stays empty', async () => {
  expect((await get('/feed/tiktok?dateRange=48h')).body.total).toBe(3);
  expect((await get('/feed/youtube')).body).toMatchObject({ total: 0, items: [] });
});

test('pulled trends without a total have the number of stored items as total', async () => {
  const { body } = await get('/trends/tiktok/week');
  expect(body).toMatchObject({ total: 1, platform: 'tiktok', period: 'week' });
});

test('pulled hashtags keep their order, parts and further fields', async () => {
  const { body } = await get('/hashtags');
  expect(body.total).toBe(2);
  expect(body.items).toEqual([
    { tag: 'Zeta', volume: 1, views: null, change: 0.5, platforms: [], hot: true },
    {
      tag: 'alpha',
      volume: 99,
      views: 3,
      change: null,
      platforms: [
        { platform: 'tiktok', volume: 9, views: 3 },
        { platform: 'youtube', volume: 90, views: null },
      ],
    },
  ]);
});
