import { beforeAll, expect, test } from 'vitest';
import { openLake } from '../../src/lake/open.ts';
import { addWatch } from '../../src/lake/watches/watches.ts';
import { NOW } from './filled-lake.ts';
import { fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

const WISH = { everyMs: 3_600_000, note: null, until: null, tags: ['acme'] };

let running: Running;
beforeAll(async () => {
  running = await runService(fillPages);
  const lake = openLake(running.dataDir);
  addWatch(lake, { ...WISH, kind: 'creator', platform: 'tiktok', subject: 'mira' }, NOW);
  addWatch(lake, { ...WISH, kind: 'video', platform: 'tiktok', subject: 'tt_1' }, NOW);
  addWatch(lake, { ...WISH, kind: 'hashtag', platform: null, subject: 'tag7' }, NOW);
  lake.close();
});

const page = async (path: string) => {
  const got = await fetch(new URL(path, running.service.dashboard));
  return { status: got.status, text: await got.text() };
};
/** One field of the rows of a CSV, by its position from the start. */
const field = async (path: string, at: number): Promise<string[]> =>
  (await page(path)).text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[at] ?? '');

test('lists have only rows of the tag, with their own ranks', async () => {
  const ids = await field('/trends/tiktok?tag=Acme&format=csv', 1);
  expect(ids).toHaveLength(41); // 40 of mira, and tt_1
  expect(ids).toContain('tt_1');
  expect(ids).not.toContain('tt_2');
  const ranks = (await field('/trends/tiktok?tag=acme&format=csv', 0)).map(Number);
  expect(ranks.slice(0, 3)).toEqual([1, 3, 6]);
  expect(await field('/creators?list=largest&tag=acme&format=csv', 2)).toEqual(['mira']);
  expect(await field('/hashtags?tag=acme&format=csv', 1)).toEqual(['dance', 'tag7']);
  expect(await field('/search?q=clip&tag=acme&format=csv', 1)).toHaveLength(41);
  expect((await page('/trends?tag=acme')).text).toContain('>41 videos');
  expect((await page('/trends/tiktok?tag=other')).text).toContain('belongs to the tag other');
});

test('the header offers the tags, and links of the page keep the chosen one', async () => {
  const { text } = await page('/trends/tiktok?tag=acme');
  expect(text).toContain('<summary>tag: <b>acme</b></summary>');
  expect(text).toMatch(/href="\/trends\/tiktok">all</);
  for (const path of ['/creators', '/forecasts', '/watching', '/query', '/videos/tt_1']) {
    expect(text).toContain(`href="${path}?tag=acme"`);
    expect((await page(`${path}?tag=acme`)).status).toBe(200);
  }
  expect((await page('/search?q=clip&tag=acme')).text).toContain('name="tag" value="acme"');
});

test('the overview shows only what belongs to the tag', async () => {
  const { text } = await page('/?tag=acme&platform=tiktok');
  const [feed = '', trends = ''] = ['Feed, 24 h</caption>', 'Trending this week</caption>'].map(
    (caption) => text.split(caption)[1]?.split('</table>')[0],
  );
  expect(feed).toContain('href="/videos/tt_1?tag=acme"');
  expect(feed).toContain('href="/videos/tt_3?tag=acme"');
  expect(feed).not.toContain('href="/videos/tt_2?tag=acme"');
  expect(trends).toContain('href="/videos/tt_12?tag=acme"');
  expect(trends).not.toContain('href="/videos/tt_10?tag=acme"');
  expect(text).toContain('/hashtags/tag7?tag=acme');
  expect(text).not.toContain('/hashtags/tag8?tag=acme');
  expect(text).toContain('No events of this tag by then.');
  const other = (await page('/?tag=other')).text;
  expect(other).toContain('belongs to the tag other');
});

test('a lake without tags has no picker', async () => {
  const other = await runService(fillPages);
  const got = await fetch(new URL('/trends', other.service.dashboard));
  expect(await got.text()).not.toContain('class="lens');
});

test('tags name clients, so an anonymous reader of a public dashboard has none', async () => {
  const open = await runService(fillPages, { host: '0.0.0.0', publicDashboard: true });
  const lake = openLake(open.dataDir);
  addWatch(lake, { ...WISH, kind: 'video', platform: 'tiktok', subject: 'tt_1' }, NOW);
  lake.close();
  const address = open.service.dashboard.replace('0.0.0.0', '127.0.0.1');
  const got = await fetch(new URL('/trends', address));
  expect(got.status).toBe(200);
  expect(await got.text()).not.toContain('acme');
  expect((await fetch(new URL('/trends?tag=acme', address))).status).toBe(403);
});
