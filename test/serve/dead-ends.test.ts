import { beforeAll, expect, test } from 'vitest';
import { hoursAgo } from './filled-lake.ts';
import { fillPages } from './page-lake.ts';
import { type Running, runService } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await runService(fillPages);
});

const page = (path: string, accept = 'text/html,*/*') =>
  fetch(new URL(path, running.service.dashboard), { headers: { accept }, redirect: 'manual' });

test('an unknown address is a page for browsers and a problem for programs', async () => {
  const got = await page('/nope?asOf=2026-03-09T12:00Z');
  expect(got.status).toBe(404);
  expect(got.headers.get('content-type')).toContain('text/html');
  expect(await got.text()).toMatch(/No page has the address \/nope\.[\s\S]*href="\/search/);
  for (const other of [await page('/nope', '*/*'), await page('/v1/nope')])
    expect(other.headers.get('content-type')).toContain('json');
});

test('addresses that people guess lead on', async () => {
  for (const [path, to] of [
    ['/videos', '/trends'],
    ['/sign-in', '/'],
  ] as const) {
    const got = await page(path);
    expect([got.status, got.headers.get('location')]).toEqual([302, to]);
    expect((await page(to)).status).toBe(200);
  }
});

test('a hashtag’s page before its first sight leads to it', async () => {
  const got = await page('/hashtags/dance?asOf=2026-02-01T00:00Z');
  expect(got.status).toBe(200);
  const link = /since 2026-03-\d\d \d\d:\d\d UTC\. <a href="([^"]+)">See it/.exec(await got.text());
  const then = await page(link?.[1]?.replaceAll('&amp;', '&') ?? '');
  expect(await then.text()).toContain('<h2>Volume</h2>');
  expect((await page('/hashtags/never?asOf=2026-02-01T00:00Z')).status).toBe(404);
});

test('the overview of an import that ended starts at its end, and a pulled lake’s at the present', async () => {
  const imported = await runService((into) =>
    into.video({ id: 'yt_1', title: 'the last of them', snapshots: [[hoursAgo(72), 5]] }),
  );
  const at = (path: string) =>
    fetch(new URL(path, imported.service.dashboard), { redirect: 'manual' });
  const start = await at('/?platform=youtube');
  expect(start.status).toBe(302);
  const there = start.headers.get('location') ?? '';
  expect(there).toMatch(/^\/\?platform=youtube&asOf=2026-/);
  expect(await (await at(there)).text()).toContain('the last of them');
  expect((await at('/?asOf=2026-01-01T00:00Z')).status).toBe(200);
  expect((await page('/')).status).toBe(200);
});
