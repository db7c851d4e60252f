import { expect, test } from 'vitest';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { loadObservations } from '../../src/ingest/imports/observations.ts';
import { loaderOf } from '../../src/ingest/writers/loader.ts';
import { freshLake } from '../support/fresh.ts';

const NONE = { videos: [], snapshots: [], hashtags: [], creators: [] };
const video = (id: string, views: number | null, likes: number | null) => ({
  id,
  platform: 'tiktok' as const,
  title: id,
  user: 'maker',
  createdAt: null,
  views,
  likes,
  engagementRate: views === null || likes === null ? null : (100 * likes) / views,
  hashtags: null,
  extra: null,
  snapshotExtra: null,
});

test('engagement_rate keeps the raw rate, engagement_rate_shown leaves out rates that say nothing', () => {
  const lake = freshLake();
  loaderOf(lake).transaction(
    (tally) => {
      for (const one of [
        video('tt_usual', 1000, 50),
        video('tt_above', 1, 11_509),
        video('tt_few', 99, 9),
        video('tt_hundred', 100, 100),
        video('tt_unknown', null, 5),
      ])
        loaderOf(lake).write(one, { at: WORLD_AT, source: 'feed' }, tally);
    },
    () => {},
    'now',
    WORLD_AT,
  );
  const rows = lake.sqlite
    .prepare(
      'select id, engagement_rate as raw, engagement_rate_shown as shown from videos order by id',
    )
    .all();
  expect(rows).toEqual([
    { id: 'tt_above', raw: 1_150_900, shown: null },
    { id: 'tt_few', raw: (100 * 9) / 99, shown: null },
    { id: 'tt_hundred', raw: 100, shown: 100 },
    { id: 'tt_unknown', raw: null, shown: null },
    { id: 'tt_usual', raw: 5, shown: 5 },
  ]);
});

test('collected_at is when the lake first loaded a video, whatever its observations say', () => {
  const lake = freshLake();
  const observed = { observed: video('tt_old', null, null), at: WORLD_AT - 90 * DAY_MS };
  loadObservations(lake, { ...NONE, videos: [observed] }, () => {}, WORLD_AT);
  loadObservations(lake, { ...NONE, videos: [observed] }, () => {}, WORLD_AT + DAY_MS);
  expect(lake.sqlite.prepare('select collected_at from videos').pluck().all()).toEqual([WORLD_AT]);
});

test('a growth timeline that reaches back does not make a video new on an earlier day', () => {
  const lake = freshLake();
  const seen = (at: number, source: 'feed' | 'growth') =>
    loaderOf(lake).transaction(
      (tally) => void loaderOf(lake).write(video('tt_1', 1000, 10), { at, source }, tally),
      () => {},
    );
  seen(WORLD_AT, 'feed');
  seen(WORLD_AT - 30 * DAY_MS, 'growth');
  const news = lake.sqlite
    .prepare('select date, videos_seen as seen, videos_new as new from daily_summary order by date')
    .all() as { date: string; seen: number; new: number }[];
  expect(news.map(({ seen: count, new: fresh }) => [count, fresh])).toEqual([
    [1, 0],
    [1, 1],
  ]);
});
