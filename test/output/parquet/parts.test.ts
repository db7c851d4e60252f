import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { countOf } from '../../../fixtures/lake-rows.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { loadObservations } from '../../../src/ingest/imports/observations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { partOfSubject, SUBJECTS_A_PART } from '../../../src/lake/touched-partitions.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { allPartitions, rangesUpTo } from '../../../src/output/parquet/partitions.ts';
import { readingsOf } from '../../../src/output/parquet/readings.ts';
import { expectWhole, folderOf, manifestOf } from './exported-files.ts';
import { filledLake, NOON_AT, sqliteRows } from './filled-lake.ts';

const clock = virtualClock(NOON_AT);
/** Keys from which a subject is in the second and the third part of a table of many. */
const SECOND = 16 * SUBJECTS_A_PART;
const THIRD = 17 * SUBJECTS_A_PART;

/** Moves some of the ten videos behind the last of a part, as in a lake of many. */
const makeLarge = (lake: Lake): void => {
  lake.sqlite.exec(`
    pragma foreign_keys = off;
    update video set key = key + ${SECOND} where key between 4 and 6;
    update video set key = key + ${THIRD} where key > 6 and key < 11;
    update video_snapshot set video_key = video_key + ${SECOND} where video_key between 4 and 6;
    update video_snapshot set video_key = video_key + ${THIRD} where video_key > 6 and video_key < 11;
    pragma foreign_keys = on`);
};

const pathsOf = (lake: Lake, name: string): (string | number)[][] =>
  manifestOf(lake)
    .filter(({ table }) => table === name)
    .map(({ path, rows }) => [path, rows]);

test('a small lake has one file of its videos; the videos of a large one share some, none twice', async () => {
  const lake = filledLake();
  await exportLake(lake, { clock });
  expect(pathsOf(lake, 'videos')).toEqual([['videos/videos.parquet', 10]]);
  makeLarge(lake);
  await exportLake(lake, { clock, full: true });
  expect(pathsOf(lake, 'videos')).toEqual([
    ['videos/videos-000000.parquet', 3],
    ['videos/videos-000016.parquet', 3],
    ['videos/videos-000017.parquet', 4],
  ]);
  expect(pathsOf(lake, 'video_hashtags')).toEqual([
    ['video_hashtags/video_hashtags-000000.parquet', 3],
  ]);
  expectWhole(lake);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const read = await connection.runAndReadAll(
    `select id from '${join(folderOf(lake), 'videos/*.parquet')}' order by id`,
  );
  expect(read.getRows().map(([id]) => id)).toEqual(sqliteRows(lake, 'videos').map(([id]) => id));
});

test('days read together, video by video, make the files of days read alone', async () => {
  const lake = filledLake();
  const hashes = () =>
    manifestOf(lake)
      .filter(({ table }) => table === 'video_snapshots')
      .map(({ path, rows, sha256 }) => [path, rows, sha256]);
  const readings = () =>
    readingsOf(
      lake.sqlite,
      allPartitions(lake.sqlite, PARQUET_TABLES).filter(({ table }) => table.timelines),
    ).map(({ partitions, bySubject }) => [partitions.length, bySubject]);
  // more rows than are read by one statement, most of them of two videos
  lake.sqlite
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
       insert into video_snapshot (video_key, observed_at, views, rate_derived, source)
       select 1 + 3 * (i % 2), ? + i, i, 1, 0 from n`,
    )
    .run(NOON_AT - 12 * 3_600_000);
  await exportLake(lake, { clock });
  const together = hashes();
  expect(readings()).toEqual([[together.length, true]]);
  makeLarge(lake); // as if a day's rows were of a few videos among many
  await exportLake(lake, { clock, full: true });
  expect(readings()).toEqual(together.map(() => [1, false]));
  expect(hashes()).toEqual(together);
});

test('what is seen of a video marks its part, and the other parts are not read', async () => {
  const lake = filledLake();
  makeLarge(lake);
  await exportLake(lake, { clock });
  const [id] = lake.sqlite
    .prepare(`select id from video where key = ${THIRD + 7}`)
    .pluck()
    .all() as string[];
  const at = NOON_AT + 60_000;
  loadObservations(lake, {
    videos: [],
    hashtags: [],
    creators: [],
    snapshots: [
      {
        at,
        observed: {
          id: id ?? '',
          platform: 'tiktok',
          views: 77,
          likes: 7,
          engagementRate: null,
          title: null,
          user: null,
          createdAt: null,
          hashtags: null,
          extra: null,
          snapshotExtra: null,
        },
      },
    ],
  });
  expect(
    lake.sqlite
      .prepare('select table_name, date from touched_partitions order by 1, 2')
      .raw()
      .all(),
  ).toEqual([
    ['video_snapshots', '2026-03-01'],
    ['videos', 'part-000017'],
  ]);
  lake.sqlite.exec("update video set title = 'not marked' where key = 1");
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 2, unchanged: 0 });
  expect(countOf(lake, 'select count(*) from touched_partitions')).toBe(0);
  expectWhole(lake);
});

test('a part whose last video is gone loses its file, and only it', async () => {
  const lake = filledLake();
  makeLarge(lake);
  await exportLake(lake, { clock });
  lake.sqlite.exec(`
    delete from video_snapshot where video_key between ${SECOND} and ${THIRD};
    delete from video where key between ${SECOND} and ${THIRD};
    insert into touched_partitions values ('videos', 'part-000016', 1)`);
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, removed: 1 });
  expect(pathsOf(lake, 'videos')).toEqual([
    ['videos/videos-000000.parquet', 3],
    ['videos/videos-000017.parquet', 4],
  ]);
  expectWhole(lake);
});

test('hashtags are divided as videos are, and a new volume rewrites the part of its tag', async () => {
  const lake = filledLake();
  const [tag] = sqliteRows(lake, 'hashtags')[0] as [string];
  lake.sqlite.exec(`
    pragma foreign_keys = off;
    update hashtag set key = key + ${SECOND} where tag <> '${tag}';
    update hashtag_snapshot set hashtag_key = hashtag_key + ${SECOND}
      where hashtag_key not in (select key from hashtag);
    update video_hashtag set hashtag_key = hashtag_key + ${SECOND}
      where hashtag_key not in (select key from hashtag);
    pragma foreign_keys = on`);
  const tags = sqliteRows(lake, 'hashtags').length;
  await exportLake(lake, { clock, full: true });
  expect(pathsOf(lake, 'hashtags')).toEqual([
    ['hashtags/hashtags-000000.parquet', 1],
    ['hashtags/hashtags-000016.parquet', tags - 1],
  ]);
  expectWhole(lake);
  const volume = {
    platform: '',
    at: NOON_AT + 60_000,
    volume: 9,
    views: 99,
    change: null,
    rank: null,
    source: 'import',
    extra: null,
  } as const;
  loadObservations(lake, {
    videos: [],
    snapshots: [],
    creators: [],
    hashtags: [{ tag, window: null, ...volume }],
  });
  expect(
    lake.sqlite
      .prepare("select date from touched_partitions where table_name = 'hashtags'")
      .pluck()
      .all(),
  ).toEqual(['']);
  await exportLake(lake, { clock });
  expectWhole(lake);
});

test.each([
  [0, ['all']],
  [15, ['all']],
  [16, [...Array.from({ length: 17 }, (_, part) => part)]],
  [31, ['0-15', ...Array.from({ length: 16 }, (_, part) => 16 + part)]],
  [46, ['0-15', ...Array.from({ length: 31 }, (_, part) => 16 + part)]],
  [47, ['0-15', '16-31', ...Array.from({ length: 16 }, (_, part) => 32 + part)]],
])('up to part %i, old groups share a file and young parts have one each', (last, expected) => {
  const named = rangesUpTo(last).map((range) =>
    range === undefined
      ? 'all'
      : range.first === range.last
        ? range.first
        : `${range.first}-${range.last}`,
  );
  expect(named).toEqual(expected);
});

test('a table that grows is divided, and its parts are joined once they are old', async () => {
  const lake = filledLake();
  await exportLake(lake, { clock });
  const addVideo = async (key: number): Promise<(string | number)[][]> => {
    lake.sqlite.exec(`
      insert into video (key, id, platform, first_seen_at) values (${key}, 'yt_${key}', 'youtube', ${NOON_AT});
      insert into touched_partitions values ('videos', '${partOfSubject(key)}', 1)`);
    await exportLake(lake, { clock });
    expectWhole(lake);
    return pathsOf(lake, 'videos');
  };
  expect(await addVideo(5 * SUBJECTS_A_PART)).toEqual([['videos/videos.parquet', 11]]);
  expect(await addVideo(SECOND)).toEqual([
    ['videos/videos-000000.parquet', 10],
    ['videos/videos-000005.parquet', 1],
    ['videos/videos-000016.parquet', 1],
  ]);
  expect(pathsOf(lake, 'video_hashtags')).toEqual([
    ['video_hashtags/video_hashtags-000000.parquet', 3],
  ]);
  expect(await addVideo(31 * SUBJECTS_A_PART)).toEqual([
    ['videos/videos-000000-000015.parquet', 11],
    ['videos/videos-000016.parquet', 1],
    ['videos/videos-000031.parquet', 1],
  ]);
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, removed: 0 });
});

test('a large lake without a hashtag keeps one empty file of them', async () => {
  const lake = filledLake();
  lake.sqlite.exec('delete from video_hashtag');
  makeLarge(lake);
  await exportLake(lake, { clock });
  expect(pathsOf(lake, 'video_hashtags')).toEqual([['video_hashtags/video_hashtags.parquet', 0]]);
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, removed: 0 });
  expectWhole(lake);
});
