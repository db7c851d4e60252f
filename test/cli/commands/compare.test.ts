import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { compareCreator } from '../../../src/lake/read/compare-creators.ts';
import { fillLake, NOW } from '../../serve/filled-lake.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

const clock = virtualClock(NOW);
const day = (days: number): number => NOW - days * DAY_MS;

/** Two creators: `ada` has three videos with known curves, `bob` one without. */
const twoCreators = (): string => {
  const dataDir = freshDataDir();
  fillLake(dataDir, (into) => {
    for (const [n, views] of [100, 300, 200].entries())
      into.video({
        id: `tt_${n}`,
        user: 'ada',
        createdAt: day(20),
        snapshots: [
          [day(20), 0],
          [day(19), views, views / 10],
          [day(17), 3 * views, views / 10],
        ],
      });
    into.video({ id: 'tt_9', user: 'bob', createdAt: day(2), snapshots: [[day(1), 50]] });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: day(19),
      total: null,
      ranks: [{ rank: 1, id: 'tt_1' }],
    });
    into.creator({
      platform: 'tiktok',
      handle: 'ada',
      snapshots: [
        [day(30), 1000],
        [day(1), 1500],
      ],
    });
  });
  return dataDir;
};

interface Compared {
  creators: Record<string, unknown>[];
}

test('states followers, cadence, views by age, engagement and share on lists', async () => {
  const dataDir = twoCreators();
  const { out } = await runCommand(['compare', '@ada', '@bob', '--since', '28d', '--json'], {
    dataDir,
    clock,
  });
  const { creators } = JSON.parse(out) as Compared;
  expect(creators[0]).toMatchObject({
    platform: 'tiktok',
    handle: 'ada',
    followers: 1500,
    followersGained: 500,
    followersGainedSince: new Date(day(30)).toISOString(),
    videos: 3,
    videosPerWeek: 0.8,
    onLists: 1 / 3,
    engagementRate: 3.33,
  });
  expect(creators[0]?.viewsByAge).toEqual([
    { ageDays: 1, videos: 3, median: 200, best: 300 },
    { ageDays: 3, videos: 3, median: 600, best: 900 },
    { ageDays: 7, videos: 0, median: null, best: null },
    { ageDays: 30, videos: 0, median: null, best: null },
  ]);
  expect(creators[1]).toMatchObject({
    handle: 'bob',
    followers: null,
    followersGained: null,
    videos: 1,
  });
});

test('prints a table and CSV with unknown figures left empty', async () => {
  const dataDir = twoCreators();
  const { out } = await runCommand(['compare', 'ada', 'bob'], { dataDir, clock });
  expect(out).toMatch(/followers gained\s+\S?\s+500\s+\S?\s+-/);
  const csv = await runCommand(['compare', 'ada', 'bob', '--csv'], { dataDir, clock });
  const [head = '', ada = '', bob = ''] = csv.out.trim().split('\n');
  expect(head).toMatch(/^platform,handle,followers,followers gained,gained since,videos/);
  expect([ada, bob]).toEqual([
    expect.stringMatching(/^tiktok,ada,1500,500,\d{4}-\d\d-\d\d,3/),
    expect.stringMatching(/^tiktok,bob,,,,1/),
  ]);
});

test('hashtags are those of videos that were known at the instant', () => {
  const dataDir = freshDataDir();
  fillLake(dataDir, (into) => {
    for (const [n, seenDaysAgo] of [9, 9, 2, 2, 2].entries())
      into.video({
        id: `tt_${n}`,
        user: 'ada',
        createdAt: day(10),
        tags: [n < 2 ? 'early' : 'late'],
        snapshots: [[day(seenDaysAgo), 10]],
      });
  });
  const lake = openLakeForReading(dataDir);
  const query = { platform: 'tiktok', handle: 'ada', since: day(20) } as const;
  const then = compareCreator(lake, { ...query, at: day(5) });
  expect([then?.videos, then?.hashtags]).toEqual([2, [{ tag: 'early', videos: 2 }]]);
  expect(compareCreator(lake, { ...query, at: NOW })?.hashtags).toEqual([
    { tag: 'late', videos: 3 },
    { tag: 'early', videos: 2 },
  ]);
  lake.close();
});

test('refuses one creator, seven, and those the lake does not know', async () => {
  const dataDir = twoCreators();
  const refused = async (...names: string[]) =>
    (await runCommand(['compare', ...names], { dataDir, clock })).err;
  expect(await refused('ada')).toMatch(/takes 2 to 6 creators\. 1 are given/);
  expect(await refused(...'abcdefg')).toMatch(/7 are given/);
  expect(await refused('ada', 'nobody')).toMatch(/@nobody is not in the lake/);
  expect(await refused('ada', 'nobody', '--platform', 'tiktok')).toMatch(
    /watch add @nobody --platform tiktok/,
  );
});
