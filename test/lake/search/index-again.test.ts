import { expect, test } from 'vitest';
import type { Lake } from '../../../src/lake/open.ts';
import { refreshSearch, refreshSearchInTurns } from '../../../src/lake/search/search-index.ts';
import { emptyLake, insertVideos } from '../lake-fixture.ts';

const VIDEOS = Array.from({ length: 100 }, (_, i) => ({
  id: `tt_${i}`,
  title: `Title ${i} été ${i % 7} 고양이`,
  user: `u${i % 9}`,
  views: i,
  tags: i % 3 === 0 ? ['viral', `t${i % 5}`] : [],
}));

/** A lake whose videos all wait. */
const waiting = (): Lake => {
  const lake = emptyLake();
  insertVideos(lake, VIDEOS);
  lake.sqlite.exec(`insert into search (search) values ('delete-all')`);
  lake.sqlite.exec('insert or ignore into search_pending select key from video');
  return lake;
};

/** Every word of the index, where it stands. */
const indexOf = ({ sqlite }: Lake): unknown[] => {
  sqlite.exec("create virtual table temp.terms using fts5vocab('main', 'search', 'instance')");
  return sqlite.prepare('select * from temp.terms order by 1, 2, 3, 4').raw().all();
};

test.each([
  ['all', 'true'],
  ['most', 'key > 10'],
])('where %s of the videos in the index wait again, it becomes the same', async (_, waits) => {
  const lake = waiting();
  refreshSearch(lake);
  const { sqlite } = lake;
  sqlite.exec(`insert into search_pending select key from video where ${waits}`);
  await refreshSearchInTurns(lake);
  const known = waiting();
  refreshSearch(known);
  expect(indexOf(lake)).toEqual(indexOf(known));
});
