import { beforeAll, describe, expect, test } from 'vitest';
import { hoursAgo, NOW } from './filled-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
const get: Running['get'] = (path, init) => running.get(path, init);

beforeAll(async () => {
  running = await runService((into) => {
    // big but still, big and moving, small and fast, seen once, without views, long unseen
    into.video({
      id: 'tt_still',
      tags: ['Dance', 'fyp'],
      snapshots: [
        [hoursAgo(30), 9_000_000, 90_000],
        [hoursAgo(2), 9_000_000, 90_000],
      ],
    });
    into.video({
      id: 'tt_moving',
      tags: ['dance'],
      extra: { music: 'x', views: 1, odd: { likes: -1 } },
      snapshots: [
        [hoursAgo(30), 1_000_000, 10],
        [hoursAgo(2), 3_000_000, 30_000],
      ],
    });
    into.video({
      id: 'tt_tiny',
      snapshots: [
        [hoursAgo(3), 2],
        [hoursAgo(2), 60],
      ],
    });
    into.video({
      id: 'tt_once',
      createdAt: hoursAgo(12),
      snapshots: [[hoursAgo(2), 500_000, 5000]],
    });
    into.video({
      id: 'tt_noviews',
      title: null,
      user: null,
      createdAt: null,
      snapshots: [[hoursAgo(1), null, 800_000]],
    });
    into.video({ id: 'tt_old', snapshots: [[hoursAgo(900), 5_000_000, 1]] });
    into.video({ id: 'tt_zero', createdAt: hoursAgo(5), snapshots: [[hoursAgo(1), 0, 0]] });
    into.video({ id: 'tt_later', snapshots: [[NOW + 1, 7]] });
    into.video({
      id: 'yt_one',
      tags: ['dance', 'Ωmega'],
      snapshots: [
        [hoursAgo(40), 5],
        [hoursAgo(3), 50, 5],
      ],
    });
    into.video({
      id: 'ig_renamed',
      user: 'new.name',
      title: 'new words',
      snapshots: [
        [hoursAgo(60), 10],
        [hoursAgo(10), 20],
      ],
      revisions: [{ untilAt: hoursAgo(20), title: 'old words', user: 'old.name' }],
    });
  });
});

describe('feed from observations', () => {
  test('the eight fields first, then hashtags, rank, score, velocity, then the further ones', async () => {
    const { body, status } = await get('/feed/tiktok');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['total', 'page', 'items', 'asOf']);
    expect(body.asOf).toBe('2026-03-10T12:00:00.000Z');
    const moving = body.items.find((item) => item.id === 'tt_moving');
    expect(Object.keys(moving ?? {})).toEqual([
      'id',
      'platform',
      'title',
      'user',
      'views',
      'likes',
      'engagementRate',
      'createdAt',
      'hashtags',
      'rank',
      'score',
      'velocity',
      'music',
      'odd',
    ]);
    expect(moving).toMatchObject({
      views: 3_000_000,
      engagementRate: 1,
      hashtags: ['Dance'],
      music: 'x',
    });
  });

  test('a moving video stands above a larger still one, a tiny one far below', async () => {
    const { body } = await get('/feed/tiktok');
    const ids = body.items.map((item) => item.id);
    expect(body.total).toBe(6);
    expect(ids?.[0]).toBe('tt_moving');
    expect(ids?.indexOf('tt_tiny')).toBeGreaterThan(ids?.indexOf('tt_once') ?? 9);
    expect(ids).not.toContain('tt_old');
    expect(ids).not.toContain('tt_later');
    expect(body.items.map((item) => item.rank)).toEqual([1, 2, 3, 4, 5, 6]);
    const scores = body.items.map((item) => Number(item.score)) ?? [];
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('unknown counts stay null, a rate over no views too', async () => {
    const { body } = await get('/feed/tiktok');
    const item = (id: string) => body.items.find((found) => found.id === id);
    expect(item('tt_noviews')).toMatchObject({
      title: null,
      user: null,
      views: null,
      engagementRate: null,
      createdAt: null,
      velocity: null,
    });
    expect(item('tt_zero')).toMatchObject({ views: 0, likes: 0, engagementRate: null });
  });

  test('pages do not overlap; one past the end is empty with the true total', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => get(`/feed/tiktok?limit=2&page=${page}`)),
    );
    const ids = pages.flatMap(({ body }) => body.items.map((item) => item.id));
    expect(new Set(ids).size).toBe(6);
    expect(pages[3]?.body).toMatchObject({ total: 6, page: 4, items: [] });
    const far = await get('/feed/tiktok?page=9007199254740991&limit=100');
    expect(far.body).toMatchObject({ total: 6, items: [] });
  });

  test('dateRange is the window', async () => {
    expect((await get('/feed/tiktok?dateRange=1h')).body.total).toBe(0);
    expect((await get('/feed/tiktok?dateRange=6w')).body.total).toBe(7);
  });
});

describe('as of an instant', () => {
  test('counts, titles and handles are those of then', async () => {
    const then = await get('/videos/ig_renamed?asOf=2026-03-09T10:00:00Z');
    expect(then.body).toMatchObject({ title: 'old words', user: 'old.name', views: 10 });
    const now = await get('/videos/ig_renamed');
    expect(now.body).toMatchObject({ title: 'new words', user: 'new.name', views: 20 });
  });

  test('the same instant gives the same response, whatever was asked before', async () => {
    const early = await get('/feed/tiktok?asOf=2026-03-09T12:00:00Z');
    const now = await get('/feed/tiktok');
    const again = await get('/feed/tiktok?asOf=2026-03-09T12:00:00Z');
    expect(again.text).toBe(early.text);
    expect(early.body.items.map((item) => item.id)).toEqual(['tt_still', 'tt_moving']);
    expect(now.body.total).toBe(6);
  });

  test('what was not seen yet is not there, and the future is now', async () => {
    expect((await get('/videos/tt_once?asOf=2026-03-10T09:59:59Z')).status).toBe(404);
    const future = await get('/videos/tt_later?asOf=2030-01-01T00:00:00Z');
    expect(future.status).toBe(404);
    expect((await get('/feed/tiktok?asOf=2030-01-01T00:00:00Z')).body.asOf).toBe(
      '2026-03-10T12:00:00.000Z',
    );
  });

  test('a zone whose + was not encoded is understood', async () => {
    for (const zone of ['+02:00', '+0200', '+02'])
      expect((await get(`/feed/tiktok?asOf=2026-03-10T12:00:00${zone}`)).body.asOf).toBe(
        '2026-03-10T10:00:00.000Z',
      );
  });
});

test('trends are ordered by views gained, without unchanged videos, unknown gains last', async () => {
  const { body } = await get('/trends/tiktok/day');
  expect(Object.keys(body)).toEqual(['total', 'page', 'items', 'platform', 'period', 'asOf']);
  expect(body).toMatchObject({ platform: 'tiktok', period: 'day' });
  const ids = body.items.map((item) => String(item.id)) ?? [];
  expect(ids.slice(0, 3)).toEqual(['tt_moving', 'tt_once', 'tt_tiny']);
  expect(ids).not.toContain('tt_still');
  expect(ids.at(-1)).toBe('tt_noviews');
});

describe('hashtags', () => {
  test('volume is the number of distinct videos, by platform and over all', async () => {
    const { body } = await get('/hashtags');
    expect(body.items[0]).toEqual({
      tag: 'Dance',
      volume: 3,
      views: 12_000_050,
      change: null,
      platforms: [
        { platform: 'tiktok', volume: 2, views: 12_000_000 },
        { platform: 'youtube', volume: 1, views: 50 },
      ],
      sampled: true,
    });
  });
  test('no change is known of windows that nobody says were watched', async () => {
    const { body } = await get('/hashtags?dateRange=24h');
    expect(body.items.find((item) => item.tag === 'Dance')).toMatchObject({
      volume: 3,
      change: null,
    });
  });
  test('platform narrows it', async () => {
    const { body } = await get('/hashtags?platform=youtube');
    expect(body.items.map((item) => item.tag)).toEqual(['Dance', 'Ωmega']);
    expect(body.items[0]?.volume).toBe(1);
  });
});
