import { expect, test } from 'vitest';
import type { Platform } from '../../schema/vocabulary.ts';
import { DAY_MS, HOUR_MS } from '../../src/base/durations.ts';
import { isoOf } from '../../src/base/iso.ts';
import type { Lake } from '../../src/lake/open.ts';
import { type Filler, filler, hoursAgo, NOW } from '../serve/filled-lake.ts';
import { freshLake } from '../support/fresh.ts';

const lakeOf = (fill: (into: Filler) => void): Lake => {
  const lake = freshLake();
  fill(filler(lake));
  return lake;
};
const rowsOf = ({ sqlite }: Lake, sql: string): unknown[] => sqlite.prepare(sql).raw().all();
const daysAgo = (days: number): number => NOW - days * DAY_MS;

test('every column of every view has a type', () => {
  const untyped = rowsOf(
    freshLake(),
    `select v.name || '.' || c.name from sqlite_schema v, pragma_table_info(v.name) c
     where v.type = 'view' and c.type = ''`,
  );
  expect(untyped).toEqual([]);
});

test('feed_history: a list of any day, with the words and counts of then', () => {
  const lake = lakeOf((into) => {
    into.video({
      id: 'tt_a',
      title: 'new title',
      snapshots: [
        [hoursAgo(30), 10, 1],
        [hoursAgo(26), null, null],
        [hoursAgo(2), 99, 9],
      ],
      revisions: [{ untilAt: hoursAgo(5), title: 'old title', user: 'old.name' }],
    });
    const feed = { list: 'feed', platform: 'tiktok', period: '24h', total: 1 } as const;
    const ranks = [{ rank: 1, id: 'tt_a', velocity: 3 }];
    into.pulled({ ...feed, at: hoursAgo(26), ranks });
    into.pulled({ ...feed, at: hoursAgo(2), ranks });
  });
  const columns = 'date, rank, id, title, user, views, likes, velocity';
  expect(rowsOf(lake, `select ${columns} from feed_history order by captured_at`)).toEqual([
    ['2026-03-09', 1, 'tt_a', 'old title', 'old.name', 10, 1, 3],
    ['2026-03-10', 1, 'tt_a', 'new title', 'somebody', 99, 9, 3],
  ]);
});

const volumes = (into: Filler): void => {
  const add = (
    tag: string,
    platform: Platform | '',
    days: number,
    volume: number,
    window = '30d',
  ) => into.hashtag({ tag, platform, at: daysAgo(days), volume, window });
  add('dance', '', 7.5, 100);
  add('dance', '', 0.1, 150);
  add('dance', 'tiktok', 7.5, 80);
  add('dance', 'tiktok', 0.1, 90);
  add('dance', '', 7.4, 10, '7d');
  add('fresh', '', 0.1, 5);
  add('gap', '', 20, 5);
  add('gap', '', 0.1, 50);
};

test('hashtag_trend: like with like, a week apart; no change where there was nothing to compare with', () => {
  const lake = lakeOf(volumes);
  const columns = 'tag, platform, window, volume, volume_before, round(change, 3)';
  expect(rowsOf(lake, `select ${columns} from hashtag_trend order by 1, 2, 3`)).toEqual([
    ['dance', 'all', '30d', 150, 100, 0.5],
    ['dance', 'all', '7d', 10, null, null],
    ['dance', 'tiktok', '30d', 90, 80, 0.125],
    ['fresh', 'all', '30d', 5, null, null],
    ['gap', 'all', '30d', 50, null, null],
  ]);
  lake.sqlite.exec("update hashtag_snapshot set source = 7 where platform = 'tiktok'");
  const seen = "select volume_before, change from hashtag_trend where source = 'seen'";
  expect(rowsOf(lake, seen)).toEqual([[80, null]]);
});

test('hashtag_volumes: the total beside its parts', () => {
  const lake = lakeOf(volumes);
  const sql = `select volume, tiktok, instagram from hashtag_volumes
    where tag = 'dance' and window = '30d' order by observed_at`;
  expect(rowsOf(lake, sql)).toEqual([
    [100, 80, null],
    [150, 90, null],
  ]);
});

test('creators_rising: the newest count against one of a week to a fortnight before', () => {
  const lake = lakeOf((into) => {
    const creator = (handle: string, snapshots: [at: number, followers: number | null][]) =>
      into.creator({ platform: 'tiktok', handle, snapshots });
    creator('slow', [
      [daysAgo(10), 100],
      [daysAgo(8), 200],
      [daysAgo(0), 300],
    ]);
    creator('fast', [
      [daysAgo(10), 100],
      [daysAgo(5), 1000],
      [daysAgo(0), null],
      [daysAgo(2), 900],
    ]);
    creator('once', [[daysAgo(1), 7]]);
    creator('gap', [
      [daysAgo(30), 7],
      [daysAgo(1), 70],
    ]);
  });
  const columns = 'handle, followers, followers_before, gained_per_day, change';
  expect(rowsOf(lake, `select ${columns} from creators_rising`)).toEqual([
    ['fast', 900, 100, 100, 8],
    ['slow', 300, 200, 12.5, 0.5],
  ]);
});

test('video_milestones: interpolated, or said to be censored', () => {
  const createdAt = hoursAgo(100);
  const lake = lakeOf((into) => {
    into.video({
      id: 'tt_crossed',
      createdAt,
      snapshots: [
        [hoursAgo(90), 4000],
        [hoursAgo(88), 0],
        [hoursAgo(80), 24_000],
        [hoursAgo(70), 90_000],
      ],
    });
    into.video({ id: 'tt_late', createdAt, snapshots: [[hoursAgo(50), 2_000_000]] });
    into.video({ id: 'tt_hidden', createdAt, snapshots: [[hoursAgo(50), null]] });
    into.video({
      id: 'yt_undated',
      createdAt: null,
      snapshots: [
        [hoursAgo(4), 9000],
        [hoursAgo(2), 11_000],
      ],
    });
  });
  const columns = 'id, milestone, state, hours, hours_at_least, hours_at_most, reached_at';
  expect(rowsOf(lake, `select ${columns} from video_milestones order by id, milestone`)).toEqual([
    ['tt_crossed', 10_000, 'reached', 13, 10, 20, isoOf(hoursAgo(87))],
    ['tt_crossed', 100_000, 'not yet', null, 30, null, null],
    ['tt_crossed', 1_000_000, 'not yet', null, 30, null, null],
    ['tt_crossed', 10_000_000, 'not yet', null, 30, null, null],
    ['tt_crossed', 100_000_000, 'not yet', null, 30, null, null],
    ['tt_late', 10_000, 'before', null, null, 50, null],
    ['tt_late', 100_000, 'before', null, null, 50, null],
    ['tt_late', 1_000_000, 'before', null, null, 50, null],
    ['tt_late', 10_000_000, 'not yet', null, 50, null, null],
    ['tt_late', 100_000_000, 'not yet', null, 50, null, null],
    ['yt_undated', 10_000, 'reached', null, null, null, isoOf(hoursAgo(3))],
    ['yt_undated', 100_000, 'not yet', null, null, null, null],
    ['yt_undated', 1_000_000, 'not yet', null, null, null, null],
    ['yt_undated', 10_000_000, 'not yet', null, null, null, null],
    ['yt_undated', 100_000_000, 'not yet', null, null, null, null],
  ]);
});

test('list_stays: from pull to pull; away and back is not there in between', () => {
  const lake = lakeOf((into) => {
    for (const id of ['tt_a', 'tt_b']) into.video({ id, snapshots: [[hoursAgo(9), 1]] });
    const pull = (hours: number, ids: string[]) =>
      into.pulled({
        list: 'feed',
        platform: 'tiktok',
        period: '24h',
        at: hoursAgo(hours),
        total: 2,
        ranks: ids.map((id, place) => ({ id, rank: place + 1 })),
      });
    pull(9, ['tt_a', 'tt_b']);
    pull(7, ['tt_b', 'tt_a']);
    pull(4, ['tt_b']);
    pull(1, ['tt_b', 'tt_a']);
  });
  const columns = 'id, first_seen_at, last_seen_at, best_rank, pulls, hours, is_there_now';
  expect(rowsOf(lake, `select ${columns} from list_stays order by id`)).toEqual([
    ['tt_a', isoOf(hoursAgo(9)), isoOf(hoursAgo(1)), 1, 3, 2, 1],
    ['tt_b', isoOf(hoursAgo(9)), isoOf(hoursAgo(1)), 1, 4, 8, 1],
  ]);
});

test('platform_overlap: hashtags and handles on more than one platform', () => {
  const lake = lakeOf((into) => {
    const snapshots: [number, number][] = [[hoursAgo(1), 1]];
    into.video({ id: 'tt_1', tags: ['dance', 'only'], user: '@Mika', snapshots });
    into.video({ id: 'tt_2', tags: ['dance'], user: 'wren', snapshots });
    into.video({ id: 'yt_1', tags: ['dance'], user: 'mika', snapshots });
    into.video({ id: 'ig_1', user: 'ÉLODIE', snapshots });
    into.video({ id: 'yt_2', user: '@e\u0301lodie', snapshots }); // decomposed
    into.video({ id: 'yt_3', user: '@', snapshots });
    into.video({ id: 'ig_2', user: '@', snapshots });
  });
  expect(rowsOf(lake, 'select * from platform_overlap order by kind, name')).toEqual([
    ['creator', 'mika', 2, 1, 0, 1],
    ['creator', 'élodie', 2, 0, 1, 1],
    ['hashtag', 'dance', 2, 2, 0, 1],
  ]);
});

test('daily_summary: the changes of each day; no row for a day without pulls', () => {
  const lake = lakeOf((into) => {
    into.video({
      id: 'tt_a',
      snapshots: [
        [hoursAgo(60), 1],
        [hoursAgo(59), 2],
        [hoursAgo(2), 3],
      ],
    });
    into.video({ id: 'tt_b', snapshots: [[hoursAgo(2), 3]] });
    into.pulled({ list: 'feed', platform: 'tiktok', period: '24h', at: hoursAgo(2), total: 2 });
    into.event({ id: 'e', kind: 'trend.spike', platform: 'tiktok', at: hoursAgo(2) });
  });
  expect(rowsOf(lake, 'select * from daily_summary')).toEqual([
    [isoOf(hoursAgo(60)).slice(0, 10), 'tiktok', 1, 1, 2, 0, 0],
    [isoOf(NOW - 2 * HOUR_MS).slice(0, 10), 'tiktok', 2, 1, 1 + 1, 1, 1],
  ]);
});
