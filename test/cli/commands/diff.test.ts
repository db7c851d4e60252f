import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { fillLake, NOW } from '../../serve/filled-lake.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { openTestLake } from '../../support/test-lake.ts';

const clock = virtualClock(NOW);
const at = (hours: number): number => NOW - hours * HOUR_MS;

/** A feed pulled three times; between the last two, v4 enters, v1 leaves, v3 climbs and v2 is renamed. */
const lakeWithFeeds = (): string => {
  const dataDir = freshDataDir();
  fillLake(dataDir, (into) => {
    for (const n of [1, 2, 3, 4])
      into.video({
        id: `tt_${n}`,
        user: `maker${n}`,
        title: `title ${n}`,
        snapshots: [[at(40), 100 * n]],
      });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: at(30),
      total: null,
      ranks: [
        { rank: 1, id: 'tt_2' },
        { rank: 2, id: 'tt_1' },
      ],
    });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: at(25),
      total: null,
      ranks: [
        { rank: 1, id: 'tt_1' },
        { rank: 2, id: 'tt_2' },
        { rank: 3, id: 'tt_3' },
      ],
    });
    into.pulled({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: at(1),
      total: null,
      ranks: [
        { rank: 1, id: 'tt_3' },
        { rank: 2, id: 'tt_2' },
        { rank: 3, id: 'tt_4' },
      ],
    });
  });
  const lake = openTestLake(dataDir);
  lake.sqlite.exec(`
    insert into video_revision (video_key, until_at, title, user)
      select key, ${at(2)}, title, user from video where id = 'tt_2';
    update video set title = 'new title' where id = 'tt_2'`);
  lake.close();
  return dataDir;
};

interface Diff {
  lists: {
    list: string;
    fromAt: string;
    entered: { id: string; rank: number; previousRank: null }[];
    left: { id: string; rank: null; previousRank: number }[];
    climbed: { id: string; rank: number; previousRank: number }[];
    fell: { id: string }[];
    unchanged: number;
    renamed: { id: string; title: string; previousTitle: string }[];
  }[];
}

test('names what entered, left, climbed, fell and was retitled', async () => {
  const dataDir = lakeWithFeeds();
  const { out } = await runCommand(['diff', '24h', 'now', '--json'], { dataDir, clock });
  const [feed] = (JSON.parse(out) as Diff).lists;
  expect(feed).toMatchObject({
    list: 'feed',
    platform: 'tiktok',
    period: '24h',
    fromAt: new Date(at(25)).toISOString(),
    entered: [{ id: 'tt_4', rank: 3, previousRank: null }],
    left: [{ id: 'tt_1', rank: null, previousRank: 1 }],
    climbed: [{ id: 'tt_3', rank: 1, previousRank: 3 }],
    fell: [],
    unchanged: 1,
    renamed: [{ id: 'tt_2', title: 'new title', previousTitle: 'title 2' }],
  });
});

test('a start before the first pull compares from the first pull on', async () => {
  const dataDir = lakeWithFeeds();
  const { out } = await runCommand(['diff', '7d', 'now', '--json'], { dataDir, clock });
  expect((JSON.parse(out) as Diff).lists[0]?.fromAt).toBe(new Date(at(30)).toISOString());
});

test('prints a table, and CSV that a spreadsheet opens', async () => {
  const dataDir = lakeWithFeeds();
  const { out } = await runCommand(['diff', '24h', 'now'], { dataDir, clock });
  expect(out).toMatch(
    /tiktok feed, .* UTC to .* UTC: 1 video entered, 1 left, 1 climbed, 0 fell, 1 unchanged/,
  );
  expect(out).toMatch(/tt_2: new title "new title", before "title 2"/);
  const csv = await runCommand(['diff', '24h', 'now', '--csv'], { dataDir, clock });
  expect(csv.out.split('\n')[0]).toBe(
    'list,platform,period,change,id,title,user,rank,previous_rank,previous_title,previous_user',
  );
  expect(csv.out).toContain('feed,tiktok,24h,entered,tt_4,title 4,maker4,3,,,');
});

test('refuses instants in the wrong order', async () => {
  const dataDir = lakeWithFeeds();
  const { code, err } = await runCommand(['diff', 'now', '24h'], { dataDir, clock });
  expect([code, err]).toEqual([2, expect.stringContaining('FROM must be')]);
});
