import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { systemClock, virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { foldName } from '../../../src/base/wire/folding.ts';
import type { HashtagsResponse } from '../../../src/base/wire/shapes.ts';
import type { HashtagObservation } from '../../../src/ingest/responses/hashtag-list.ts';
import { createKey } from '../../../src/lake/keys/keys.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { hashtagsOfWorld } from '../../../src/sandbox/world/hashtag-lists.ts';
import { World } from '../../../src/sandbox/world/world.ts';
import { startService } from '../../../src/serve/service.ts';
import {
  COOKBOOK,
  cookbookPage,
  demoCommand,
  makeDemoLake,
} from '../../../tools/generate-cookbook.ts';
import { freshFolder } from '../../support/fresh.ts';

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
const world = new World({ seed: 1 });
const truths = new Map<number, Map<string, HashtagObservation>>();
/** The world's own figures of its hashtags at the midnight `days` before the last night. */
const truthOf = (days: number): Map<string, HashtagObservation> => {
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

interface Listed {
  tag: string;
  volume: number;
  views: number;
  change: number | null;
  tiktok: number | null;
  instagram: number | null;
  youtube: number | null;
}
/** The newest list over all platforms as SQL shows it, and the world's own figures of the same tags. */
const newest = () => {
  const listed = ask<Listed>(
    `select s.tag, s.volume, s.views, s.change, v.tiktok, v.instagram, v.youtube
     from hashtag_snapshots s join hashtag_volumes v using (tag)
     where s.platform = '' and s.rank is not null and v.window = '30d' and v.source = 'hashtags'
       and s.observed_at = (select max(observed_at) from hashtag_snapshots)
       and v.observed_at = (select max(observed_at) from hashtag_volumes) order by s.rank`,
  );
  const truth = listed.map(({ tag }) => truthOf(0).get(foldName(tag)) as HashtagObservation);
  return { listed, truth };
};
type Newest = ReturnType<typeof newest>;
const byChange = (items: readonly { tag: string; change: number | null }[], sign: 1 | -1) =>
  items
    .filter(({ change }) => change !== null)
    .toSorted((a, b) => sign * ((b.change ?? 0) - (a.change ?? 0)) || (a.tag < b.tag ? -1 : 1))
    .slice(0, 5)
    .map(({ tag, change }) => [tag, change]);
const partOf = ({ platforms }: HashtagObservation, platform: string) =>
  platforms.find((part) => part.platform === platform)?.volume ?? null;

/** An analyst's questions: the lake's answer, and that of the world behind it. */
const QUESTIONS: [string, (newest: Newest) => [lake: unknown, world: unknown]][] = [
  [
    'which hashtags lead now',
    ({ listed }) => [
      listed.map(({ tag }) => foldName(tag)),
      [...truthOf(0).keys()].slice(0, listed.length),
    ],
  ],
  [
    'how many videos carry each',
    ({ listed, truth }) => [listed.map((one) => one.volume), truth.map((one) => one.volume)],
  ],
  [
    'how often those were viewed',
    ({ listed, truth }) => [listed.map((one) => one.views), truth.map((one) => one.views)],
  ],
  [
    'how many of them are on TikTok',
    ({ listed, truth }) => [
      listed.map((one) => one.tiktok),
      truth.map((one) => partOf(one, 'tiktok')),
    ],
  ],
  [
    'what share of each is on YouTube',
    ({ listed, truth }) => [
      listed.map((one) => (one.youtube ?? 0) / one.volume),
      truth.map((one) => (partOf(one, 'youtube') ?? 0) / (one.volume ?? 1)),
    ],
  ],
  [
    'which are on every platform',
    ({ listed, truth }) => [
      listed.filter((one) => one.tiktok && one.instagram && one.youtube).map((one) => one.tag),
      truth.filter((one) => one.platforms.length === 3).map((one) => one.tag),
    ],
  ],
  [
    'which grew most against the month before',
    ({ listed, truth }) => [byChange(listed, 1), byChange(truth, 1)],
  ],
  ['which lost most', ({ listed, truth }) => [byChange(listed, -1), byChange(truth, -1)]],
  [
    'how the leader stood on each day',
    ({ listed: [leader] }) => {
      const days = ask<Volumes>(`${DAILY} order by date`).filter(({ tag }) => tag === leader?.tag);
      return [
        days.map(({ volume }) => volume),
        days.map(({ tag, date }) => volumeOf(tag, (LAST - Date.parse(date)) / DAY_MS)),
      ];
    },
  ],
  [
    'how the leaders changed within a week',
    () => {
      const trends = ask<{ tag: string; change: number }>(
        `select tag, change from hashtag_trend where platform = 'all' and change is not null
         and observed_at like '2026-11-21%'`,
      );
      return [
        trends.map(({ change }) => change.toFixed(9)),
        trends.map(({ tag }) => ((volumeOf(tag, 0) ?? 0) / (volumeOf(tag, 7) ?? 0) - 1).toFixed(9)),
      ];
    },
  ],
];

test.each(QUESTIONS)('an analyst asks %s, and the world says the same', (_, answers) => {
  const [lakes, worlds] = answers(newest());
  expect(lakes).not.toEqual([]);
  expect(lakes).toEqual(worlds);
});

test('for a week that was not pulled, the service returns what it saw, says so, and claims no change', async () => {
  const service = await startService({
    dataDir: lake.dataDir,
    port: 0,
    clock: virtualClock(LAST),
    machine: systemClock,
    at: () => LAST + HOUR_MS,
  });
  const db = openServiceDb(lake.dataDir);
  const { key } = createKey(db, { useCase: 'test', tier: 'beta' }, LAST);
  db.close();
  const get = async (path: string) => {
    const response = await fetch(service.url + path, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await response.json()) as HashtagsResponse;
  };
  const week = await get('/hashtags?dateRange=7d&limit=100');
  const month = await get('/hashtags?limit=100');
  await service.close();
  expect(week.items.length).toBeGreaterThan(50);
  const truth = hashtagsOfWorld(world, LAST + HOUR_MS, '7d');
  const volumes = new Map(truth.map((item) => [foldName(item.tag), item.volume ?? 0]));
  for (const { tag, volume, change, sampled } of week.items) {
    expect({ tag, change, sampled }).toEqual({ tag, change: null, sampled: true });
    // the lake saw some of the videos that there are, and none that there are not
    const there = volumes.get(foldName(tag));
    if (there !== undefined) expect(volume ?? 0).toBeLessThanOrEqual(there);
  }
  const { listed } = newest();
  expect(month.items.map(({ tag, volume, change }) => [tag, volume, change])).toEqual(
    listed.slice(0, 100).map(({ tag, volume, change }) => [tag, volume, change]),
  );
});
