import { beforeAll, describe, expect, test } from 'vitest';
import { FEED, fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(fillPages);
});

const page = async (path: string) => {
  const got = await fetch(new URL(path, running.service.dashboard));
  return { status: got.status, text: await got.text() };
};
const lines = async (path: string): Promise<string[]> =>
  (await page(path)).text.trimEnd().split('\r\n').slice(1);

// the feed is the same 120 videos, the second time turned by 60 places
describe('/diff', () => {
  test('lists climbs and falls since yesterday, and filters them', async () => {
    const all = await lines('/diff?from=24h&list=feed&platform=tiktok&format=csv');
    expect(all).toHaveLength(FEED);
    expect(all[0]).toMatch(/^climbed,feed,tiktok,24h,tt_1,.*,1,61,,$/);
    const fell = await lines('/diff?from=24h&change=fell&format=csv');
    expect(fell).toHaveLength(FEED / 2);
    expect(await lines('/diff?from=24h&change=entered&format=csv')).toEqual([]);
    const { text } = await page('/diff?from=24h&platform=tiktok&list=feed');
    expect(text).toContain('climbed 60');
    expect(text).toMatch(/TikTok feed: 2026-03-09 10:00 UTC to 2026-03-10 10:00 UTC, 0 unchanged/);
  });

  test('is one click from the lists', async () => {
    for (const path of ['/trends?list=week', '/trends/tiktok?list=week']) {
      const { text } = await page(path);
      const link = /href="(\/diff[^"]*)">since yesterday</
        .exec(text)?.[1]
        ?.replaceAll('&amp;', '&');
      expect(link).toMatch(/^\/diff\?list=week&/);
      expect((await page(link ?? '')).status).toBe(200);
    }
  });

  test('rejects a start after the end, naming the parameter', async () => {
    const { status, text } = await page('/diff?from=2026-03-10T11:00Z&to=2026-03-10T10:00Z');
    expect(status).toBe(400);
    expect(text).toContain('<code dir="auto">from</code>');
  });
});
