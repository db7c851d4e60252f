import { expect, test } from 'vitest';
import { type Lake, openLake } from '../../../src/lake/open.ts';
import { refreshSearch, refreshSearchInTurns } from '../../../src/lake/search/search-index.ts';
import { emptyLake, insertVideos } from '../lake-fixture.ts';

// After an import, a separate thread cuts words while others are put into the index.

const VIDEOS = Array.from({ length: 4500 }, (_, i) => ({
  id: `tt_${i}`,
  title: `Title ${i} été ${i % 7} 고양이`,
  user: `u${i % 9}`,
  views: i,
  tags: i % 3 === 0 ? ['viral', `t${i % 5}`] : [],
}));

/** A lake whose videos all wait. */
const waiting = (videos = VIDEOS): Lake => {
  const lake = emptyLake();
  insertVideos(lake, videos);
  lake.sqlite.exec(`insert into search (search) values ('delete-all')`);
  lake.sqlite.exec('insert or ignore into search_pending select key from video');
  return lake;
};

/** Every word of the index, where it stands. */
const indexOf = ({ sqlite }: Lake): unknown[] => {
  sqlite.exec("create virtual table temp.terms using fts5vocab('main', 'search', 'instance')");
  return sqlite.prepare('select * from temp.terms order by 1, 2, 3, 4').raw().all();
};

test('the index is the same as without it', async () => {
  const [here, thread] = [waiting(), waiting()];
  refreshSearch(here);
  await refreshSearchInTurns(thread, undefined, 0);
  expect(thread.sqlite.prepare('select count(*) from search_pending').pluck().get()).toBe(0);
  expect(indexOf(thread)).toEqual(indexOf(here));
});

test.each([
  ['all', 'true'],
  ['most', 'key > 10'],
])('where %s of the videos in the index wait again, it becomes the same', async (_, waits) => {
  const few = VIDEOS.slice(0, 100);
  const lake = waiting(few);
  refreshSearch(lake);
  const { sqlite } = lake;
  sqlite.exec(`insert into search_pending select key from video where ${waits}`);
  await refreshSearchInTurns(lake, undefined, 0);
  const known = waiting(few);
  refreshSearch(known);
  expect(indexOf(lake)).toEqual(indexOf(known));
});

test('a title that another process changes meanwhile is indexed as it is then', async () => {
  const lake = waiting();
  const refreshed = refreshSearchInTurns(lake, undefined, 0); // the first videos are read already
  const other = openLake(lake.dataDir);
  other.sqlite.exec("update video set title = 'renamed' where key = 1");
  other.close();
  await refreshed;
  const found = lake.sqlite
    .prepare("select rowid from search where search match 'renamed'")
    .pluck();
  expect(found.all()).toEqual([1]);
});
