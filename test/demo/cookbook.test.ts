import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../src/durations.ts';
import type { Lake } from '../../src/lake/open.ts';
import type { ListedHashtag } from '../../src/load/hashtag-list.ts';
import { hashtagsOfWorld } from '../../src/sandbox/hashtag-lists.ts';
import { createWorld } from '../../src/sandbox/world.ts';
import { foldName } from '../../src/wire/folding.ts';
import {
  COOKBOOK,
  cookbookPage,
  demoCommand,
  makeDemoLake,
} from '../../tools/generate-cookbook.ts';
import { freshFolder } from '../support/fresh.ts';

let lake: Lake;
beforeAll(() => {
  lake = makeDemoLake(freshFolder());
  return () => lake.close();
}, 600_000);

test('thirty questions, and the answers that stand below them', () => {
  const page = readFileSync(COOKBOOK, 'utf8');
  expect(page).toContain(demoCommand());
  expect(page.match(/^### \d+\. /gm)).toHaveLength(30);
  expect(cookbookPage(lake, page)).toBe(page);
});

const LAST = Date.UTC(2026, 10, 21);
const world = createWorld({ seed: 1 });
const truths = new Map<number, Map<string, ListedHashtag>>();
/** What the world says of its hashtags at the midnight `days` before the last night. */
const truthOf = (days: number): Map<string, ListedHashtag> => {
  const known = truths.get(days);
  if (known !== undefined) return known;
  const list = hashtagsOfWorld(world, LAST - days * DAY_MS, '30d');
  const byName = new Map(list.map((item) => [foldName(item.tag), item]));
  truths.set(days, byName);
  return byName;
};
const volumeOf = (tag: string, days: number, platform = 'all'): number | undefined => {
  const truth = truthOf(days).get(foldName(tag));
  return platform === 'all'
    ? (truth?.volume ?? undefined)
    : (truth?.platforms.find((part) => part.platform === platform)?.volume ?? undefined);
};
const ask = <T>(sql: string): T[] => lake.sqlite.prepare(sql).all() as T[];

interface Volumes {
  tag: string;
  date: string;
  volume: number;
  tiktok: number | null;
  instagram: number | null;
  youtube: number | null;
}
const DAILY = `select *, substr(observed_at, 1, 10) as date from hashtag_volumes
  where window = '30d' and source = 'hashtags'`;

test('volumes of hashtags are those of the world, of every day, over all and by platform', () => {
  const rows = ask<Volumes>(DAILY);
  expect(rows.length).toBeGreaterThan(400);
  for (const { tag, date, volume, ...parts } of rows) {
    const days = (LAST - Date.parse(date)) / DAY_MS;
    expect({ tag, volume }).toEqual({ tag, volume: volumeOf(tag, days) });
    for (const platform of ['tiktok', 'instagram', 'youtube'] as const)
      expect(parts[platform]).toBe(volumeOf(tag, days, platform) ?? null);
    expect((parts.tiktok ?? 0) + (parts.instagram ?? 0) + (parts.youtube ?? 0)).toBe(volume);
  }
});

test('who rises and who falls is what the world says; where it is not known, nothing is said', () => {
  interface Trend {
    tag: string;
    platform: string;
    volume: number;
    change: number | null;
  }
  const trends = ask<Trend>("select * from hashtag_trend where observed_at like '2026-11-21%'");
  for (const { tag, platform, change } of trends) {
    const [now = 0, before = 0] = [volumeOf(tag, 0, platform), volumeOf(tag, 7, platform)];
    if (change !== null) expect(change).toBeCloseTo(now / before - 1, 9);
  }
  expect(trends.filter(({ change }) => change !== null).length).toBeGreaterThan(100);

  const months = ask<{ tag: string; change: number | null }>(
    `select tag, change from hashtag_snapshots
     where platform = '' and observed_at = (select max(observed_at) from hashtag_snapshots)`,
  );
  for (const { tag, change } of months) expect(change).toBe(truthOf(0).get(foldName(tag))?.change);
  expect(months.filter(({ change }) => (change ?? 0) > 1)).toEqual([]);
});

test('what the lake saw of a hashtag itself is never more than there was', () => {
  const seen = ask<{ tag: string; videos: number }>(
    'select tag, count(*) as videos from video_hashtags group by tag having count(*) > 5',
  );
  for (const { tag, videos } of seen) {
    const there = volumeOf(tag, 0);
    // the lake's nine days began within the month; a video older than that may have left it
    if (there !== undefined) expect(videos).toBeLessThanOrEqual(there * 1.2 + 20);
  }
});
