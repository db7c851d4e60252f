import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';
import { findingsAbout } from '../../../src/learn/why/analyze.ts';
import { emptyLake, insertVideos, type TestVideo } from '../../lake/lake-fixture.ts';
import { NOW } from './lab-lake.ts';

const BORN = NOW - 20 * DAY_MS;

const made = (id: string, user: string, daysAfter: number, views: number): TestVideo => ({
  id,
  user,
  title: id,
  createdAt: BORN + daysAfter * DAY_MS,
  firstSeenAt: BORN + daysAfter * DAY_MS + HOUR_MS,
  tags: ['bubblelee', 'cute', 'tiktok'],
  snapshots: [[BORN + daysAfter * DAY_MS + HOUR_MS, views]],
});

const VIDEOS = [
  ...Array.from({ length: 6 }, (_, i) => ({
    ...made(`tt_cute${i}`, 'fay', 1, 50 - i),
    tags: ['cute', 'tiktok'],
  })),
  { ...made('tt_far', 'gus', 0, 9999), tags: ['tiktok'] },
  made('tt_subject', 'Mira', 0, 500),
  made('tt_own', 'mira', 1, 9000),
  made('tt_small', 'ana', 2, 100),
  made('tt_best', 'ana', 3, 800),
  made('tt_other', 'ben', -13, 300),
  made('tt_early', 'cleo', -15, 5000),
  made('tt_late', 'dora', 15, 6000),
  made('tt_next', 'ed', 10, 700),
];

const alikeAsOf = (asOf: number) => {
  const lake = emptyLake();
  insertVideos(lake, VIDEOS);
  const alike = findingsAbout(lake, { id: 'tt_subject', asOf })?.alike;
  return { creators: alike?.creators, tags: alike?.tags, ids: alike?.videos.map(({ id }) => id) };
};

test('the best video of each other creator within 14 days, most viewed first', () => {
  expect(alikeAsOf(NOW)).toEqual({
    creators: 4,
    tags: ['bubblelee', 'cute'],
    ids: ['tt_best', 'tt_next', 'tt_other', 'tt_cute0'],
  });
});

test('videos first seen later are not there', () => {
  expect(alikeAsOf(BORN + 5 * DAY_MS).ids).toEqual(['tt_best', 'tt_other', 'tt_cute0']);
});
