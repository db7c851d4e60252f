import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { RANKED_MOST, type SearchQuery, searchVideos } from '../../../src/lake/search/search.ts';
import { refreshSearch } from '../../../src/lake/search/search-index.ts';
import { emptyLake, insertVideos } from '../lake-fixture.ts';

const WORDS = ['cat', 'dog', 'dance', 'night', 'food', '고양이', 'été'];
const SIZE = 3 * RANKED_MOST;

const titleOf = (i: number): string =>
  [WORDS[i % 7], WORDS[(i >> 2) % 7], i % 2 === 0 ? 'common' : 'other'].join(' ');

/** A lake whose videos wait to be put into the index in part: new ones, and others with new words. */
const lakeThatWaits = () => {
  const lake = emptyLake();
  const videos = Array.from({ length: SIZE }, (_, i) => ({
    id: `tt_${i}`,
    title: titleOf(i),
    firstSeenAt: i,
    createdAt: i,
    views: i % 97,
    tags: i % 5 === 0 ? ['viral'] : [],
  }));
  insertVideos(lake, videos.slice(0, SIZE - 500));
  refreshSearch(lake);
  lake.sqlite.exec(`update video set title = 'renamed ' || title where key % 11 = 0`);
  // as a run leaves it between two pages
  const waiting = lake.sqlite.prepare('select video_key from search_pending').pluck().all();
  insertVideos(lake, videos.slice(SIZE - 500));
  const some = [
    ...waiting,
    ...lake.sqlite
      .prepare('select key from video where key > ?')
      .pluck()
      .all(SIZE - 500),
  ];
  const wait = lake.sqlite.prepare('insert or ignore into search_pending values (?)');
  const forget = lake.sqlite.prepare('delete from search where rowid = ?');
  for (const key of some as number[]) {
    wait.run(key);
    if (key > SIZE - 500) forget.run(key);
  }
  return lake;
};

test('a search while words wait finds what it finds when they are in the index', () => {
  const lake = lakeThatWaits();
  const texts = [
    'common',
    'cat',
    'renamed',
    'renamed -dog',
    '"cat dance"',
    'viral',
    'ca*',
    '고양',
    'ete',
  ];
  const scopes: Partial<SearchQuery>[] = [
    {},
    { since: SIZE - 700 },
    { asOf: SIZE - 300 },
    { platform: 'tiktok' },
    { platform: 'youtube' },
    { page: 2 },
    { page: 11 },
    { page: 13 },
  ];
  const results = () =>
    texts.flatMap((q) =>
      scopes.map((scope) => ({
        q,
        scope,
        found: searchVideos(
          lake,
          { q, limit: 99, page: 1, asOf: SIZE, deadlineMs: 600_000, ...scope },
          systemClock,
        ),
      })),
    );
  const waiting = lake.sqlite.prepare('select count(*) from search_pending').pluck();
  expect(waiting.get()).toBeGreaterThan(700);
  const before = results();
  refreshSearch(lake);
  expect(waiting.get()).toBe(0);
  expect(before).toEqual(results());
});
