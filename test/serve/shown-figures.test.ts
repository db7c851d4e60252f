import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

// 11,509 likes of 50 views: a rate of 23,018 %, which says nothing.

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    into.video({
      id: 'tt_odd',
      title: 'clip oddity',
      user: 'mira',
      tags: ['dance'],
      createdAt: hoursAgo(30),
      snapshots: [
        [hoursAgo(20), 40, 11_000],
        [hoursAgo(1), 50, 11_509],
      ],
    });
    fillPages(into);
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: hoursAgo(1),
      total: 500,
      ranks: ['tt_odd', 'tt_1', 'tt_2'].map((id, i) => ({ rank: i + 1, id })),
    });
  });
});

const page = async (path: string): Promise<string> => {
  const response = await fetch(new URL(path, running.service.dashboard));
  expect(response.status).toBe(200);
  return response.text();
};

test.each([
  '/',
  '/trends/tiktok',
  '/videos/tt_odd',
  '/creators/tiktok/mira',
  '/hashtags/dance',
  '/search?q=oddity',
  '/compare?videos=tt_odd,tt_1',
  '/compare?creators=@mira&platform=tiktok',
])('%s shows no rate above 100 percent', async (path) => {
  const text = await page(path);
  expect(/(?:23\.0K|23018|27\.5K|27500) %/.exec(text)).toBeNull();
});

test('files have the raw rate and the shown one, each under its name', async () => {
  const [head = '', ...lines] = (await page('/search?q=clip&format=csv')).trim().split('\r\n');
  const columns = head.split(',');
  const [raw, shown] = ['engagement_rate', 'engagement_rate_shown'].map((n) => columns.indexOf(n));
  expect([raw, shown]).not.toContain(-1);
  const odd = lines.find((line) => line.includes('tt_odd'))?.split(',') ?? [];
  expect([odd.includes('23018'), odd.includes('')]).toEqual([true, true]);
});

/** Items of all pages, and the total that the first one states. */
const paged = async (path: string) => {
  let [count, total, matched] = [0, -1, undefined as unknown];
  for (let number = 1; ; number++) {
    const { status, body } = await running.get(`${path}limit=7&page=${number}`);
    expect(status).toBe(200);
    if (number === 1) [total, matched] = [body.total as number, body.matched];
    if (body.items.length === 0) return { count, total, matched };
    count += body.items.length;
  }
};

test.each([
  ['/feed/tiktok?', 500],
  ['/feed/tiktok?dateRange=7d&', undefined],
  ['/feed/youtube?', undefined],
  ['/trends/tiktok/week?', undefined],
  ['/trends/tiktok/day?', undefined],
  ['/hashtags?', undefined],
  ['/hashtags?platform=tiktok&', undefined],
  ['/search?q=clip&', undefined],
  ['/events?', undefined],
])('the total of %s is what its pages hold', async (path, stated) => {
  const { count, total, matched } = await paged(path);
  expect(count).toBeGreaterThan(0);
  expect(total).toBe(count);
  expect(matched).toBe(stated);
});
