import { beforeAll, expect, test } from 'vitest';
import { fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(fillPages);
});

const page = async (path: string) => {
  const got = await fetch(new URL(path, running.service.dashboard));
  return { status: got.status, text: await got.text() };
};

test('/compare shows creators side by side, their growth and a file', async () => {
  const { text } = await page('/compare?creators=@mira,+theo');
  expect(text).toMatch(/<th scope="row">followers gained<\/th><td class="n">900<\/td>/);
  expect(text).toContain('Followers gained by @mira (TikTok), @theo (TikTok)');
  expect(text).toContain('href="/compare?creators=theo" aria-label="Leave out @mira"');
  const csv = (await page('/compare?creators=@mira,theo&format=csv')).text.split('\r\n');
  expect(csv[0]).toMatch(/^platform,handle,followers,followers gained,gained since,videos,/);
  expect(csv[1]).toMatch(/^tiktok,mira,1900,900,/);
  expect(csv[2]).toMatch(/^tiktok,theo,70000,,/);
});

test('/compare names a creator that is not in the lake, and keeps what was typed', async () => {
  const { status, text } = await page('/compare?creators=@nobody');
  expect(status).toBe(200);
  expect(text).toMatch(/role="alert">@nobody is not in the lake/);
  expect(text).toContain('value="@nobody"');
  const file = await page('/compare?creators=@nobody&format=csv');
  expect(file.status).toBe(400);
  const seven = await page('/compare?creators=a,b,c,d,e,f,g');
  expect(seven.text).toContain('up to 6 creators. 7 are given.');
});

test('a creator’s page leads to it', async () => {
  const { text } = await page('/creators/tiktok/mira');
  const link = /href="(\/compare[^"]*)">compare</.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await page(link)).text).toContain('<th scope="row">followers</th>');
});

test('/compare shows videos side by side with their views by age', async () => {
  const { text } = await page('/compare?videos=tt_1,+tt_2');
  expect(text).toContain('data-axis="age"');
  expect(text).toMatch(/<th scope="row">gained in 24 h<\/th>/);
  expect(text).toContain('href="/compare?videos=tt_2" aria-label="Leave out');
  expect((await page('/compare?videos=tt_nobody')).text).toMatch(
    /role="alert">No video &quot;tt_nobody&quot; is in the lake/,
  );
  expect((await page('/compare?videos=a,b,c,d,e')).text).toContain('up to 4 videos. 5 are given.');
});

test('a video’s page leads to it', async () => {
  const { text } = await page('/videos/tt_1');
  expect(text).toContain('href="/compare?videos=tt_1">compare</a>');
  expect((await page('/compare?videos=tt_1')).text).toContain('Add a second video');
});
