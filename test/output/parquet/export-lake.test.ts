import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { LakeError } from '../../../src/base/errors.ts';
import { withExclusive } from '../../../src/lake/exclusive.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { expectWhole, folderOf, manifestOf } from './exported-files.ts';
import { addSnapshot, exportedLake, filledLake, NOON_AT } from './filled-lake.ts';
import { touch } from './touch.ts';

const DAY_TWO = 'video_snapshots/date=2026-03-02/video_snapshots.parquet';
const clock = virtualClock(NOON_AT);
/** Path, inode, time and size of every file: equal when nothing was touched. */
const picture = (lake: Lake): string[] =>
  readdirSync(folderOf(lake), { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { ino, mtimeNs, size } = statSync(join(folderOf(lake), name), { bigint: true });
      return `${name} ${ino} ${mtimeNs} ${size}`;
    });

test('the first export writes everything, the second nothing', async () => {
  const lake = filledLake();
  const first = await exportLake(lake, { clock });
  expect(first).toMatchObject({ files: 13, removed: 0, unchanged: 0 });
  expect(first.rows).toBe(10 + 30 + 2 + 3 + 2 + 3 + 1 + 1 + 1 + 2 + 1);
  expectWhole(lake);
  const before = picture(lake);
  expect(await exportLake(lake, { clock: virtualClock(NOON_AT + 1e6) })).toMatchObject({
    files: 0,
    rows: 0,
    bytes: 0,
    removed: 0,
  });
  expect(picture(lake)).toEqual(before);
});

test('only touched partitions are rewritten, and unmarked', async () => {
  const lake = await exportedLake();
  const before = picture(lake);
  addSnapshot(lake, 1, NOON_AT + 86_400_000 + 5000);
  touch(lake, 'video_snapshots', '2026-03-02');
  const summary = await exportLake(lake, { clock });
  expect(summary).toMatchObject({ files: 1, rows: 11 });
  expect(summary.tables).toMatchObject({ video_snapshots: { files: 1, rows: 11 } });
  const changed = picture(lake).filter((line) => !before.includes(line) && line.includes('.'));
  expect(changed.map((line) => line.split(' ')[0]).sort()).toEqual(['manifest.json', DAY_TWO]);
  expect(lake.sqlite.prepare('select count(*) from touched_partitions').pluck().get()).toBe(0);
  expectWhole(lake);
});

test('a touched partition with the same rows keeps its file', async () => {
  const lake = await exportedLake();
  const before = picture(lake).filter((line) => line.includes('.'));
  touch(lake, 'videos', '');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, unchanged: 1 });
  expect(picture(lake).filter((line) => /manifest|parquet /.test(line))).toEqual(
    before.filter((line) => /manifest|parquet /.test(line)),
  );
  expect(lake.sqlite.prepare('select count(*) from touched_partitions').pluck().get()).toBe(0);
});

test('a touched partition whose file was changed behind the manifest is written again', async () => {
  const lake = await exportedLake();
  const path = join(folderOf(lake), 'videos/videos.parquet');
  writeFileSync(path, Buffer.alloc(statSync(path).size));
  touch(lake, 'videos', '');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 1, rows: 10, unchanged: 0 });
  expectWhole(lake);
});

test('a partition touched while it is exported stays marked', async () => {
  const lake = filledLake();
  touch(lake, 'videos', '');
  await exportLake(lake, { clock, onProgress: (done) => done === 1 && touch(lake, 'videos', '') });
  expect(
    lake.sqlite.prepare('select table_name, version from touched_partitions').raw().all(),
  ).toEqual([['videos', 2]]);
});

test('a new day gets a file, an emptied one loses its file and folder', async () => {
  const lake = await exportedLake();
  lake.sqlite.exec(
    `delete from video_snapshot where observed_at between ${NOON_AT + 80_000_000} and ${NOON_AT + 90_000_000}`,
  );
  addSnapshot(lake, 1, NOON_AT + 9 * 86_400_000);
  touch(lake, 'video_snapshots', '2026-03-02');
  touch(lake, 'video_snapshots', '2026-03-10');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 1, rows: 1, removed: 1 });
  expect(existsSync(join(folderOf(lake), 'video_snapshots/date=2026-03-02'))).toBe(false);
  expectWhole(lake);
});

test('--full rewrites every file to the same bytes', async () => {
  const lake = await exportedLake();
  const before = manifestOf(lake);
  expect(await exportLake(lake, { clock, full: true })).toMatchObject({ files: 13 });
  expect(manifestOf(lake)).toEqual(before);
});

test('files missing or cut short are written again, and no other', async () => {
  const lake = await exportedLake();
  const before = manifestOf(lake);
  truncateSync(join(folderOf(lake), DAY_TWO), 100);
  rmSync(join(folderOf(lake), 'videos'), { recursive: true });
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 2, rows: 20 });
  expect(manifestOf(lake)).toEqual(before);
  expectWhole(lake);
});

test('a damaged manifest means a full export', async () => {
  const lake = await exportedLake();
  for (const damaged of ['', '{"files": [', '{"format": 99, "files": []}']) {
    writeFileSync(join(folderOf(lake), 'manifest.json'), damaged);
    expect(await exportLake(lake, { clock })).toMatchObject({ files: 13 });
  }
  expectWhole(lake);
});

test('leftovers of a killed export go, files of others stay', async () => {
  const lake = await exportedLake();
  const day = join(folderOf(lake), 'video_snapshots/date=1999-01-01');
  mkdirSync(day);
  const ours = [
    join(folderOf(lake), 'videos/.videos.parquet.tmp'),
    join(folderOf(lake), '.manifest.json.tmp'),
    join(day, '.video_snapshots.parquet.tmp'),
    join(day, 'video_snapshots.parquet'),
  ];
  const theirs = [
    join(folderOf(lake), 'videos/mine.parquet'),
    join(folderOf(lake), 'video_snapshots/notes.txt'),
  ];
  for (const path of [...ours, ...theirs]) writeFileSync(path, 'x');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, removed: 1 });
  expect(ours.filter((path) => existsSync(path))).toEqual([]);
  expect(theirs.filter((path) => existsSync(path))).toEqual(theirs);
  expect(existsSync(day)).toBe(false);
});

test('a lake without rows exports one file a table, which shows its columns; twice alike', async () => {
  const lake = filledLake();
  for (const table of [
    'forecast',
    'hashtag_forecast',
    'video_snapshot',
    'video_hashtag',
    'ranking',
    'capture',
    'video',
  ])
    lake.sqlite.exec(`delete from ${table}`);
  for (const table of ['hashtag_snapshot', 'hashtag', 'creator_snapshot', 'creator', 'events'])
    lake.sqlite.exec(`delete from ${table}`);
  expect(await exportLake(lake, { clock })).toMatchObject({
    files: PARQUET_TABLES.length,
    rows: 0,
  });
  expect(manifestOf(lake).map(({ path, rows }) => [path, rows])).toEqual(
    PARQUET_TABLES.map(({ name, dateColumn }): [string, number] => [
      `${name}/${dateColumn === undefined ? '' : 'date=1970-01-01/'}${name}.parquet`,
      0,
    ]).sort(),
  );
  expectWhole(lake);
  utimesSync(join(folderOf(lake), 'manifest.json'), 1, 1);
  await exportLake(lake, { clock });
  expect(statSync(join(folderOf(lake), 'manifest.json')).mtimeMs).toBe(1000);
  touch(lake, 'videos', '');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 0, unchanged: 1 });
  expect(statSync(join(folderOf(lake), 'manifest.json')).mtimeMs).toBe(1000);
});

test('the file of a table without rows goes when its first row comes, and comes back', async () => {
  const lake = filledLake();
  const EMPTY = 'events/date=1970-01-01/events.parquet';
  const eventsIn = () => manifestOf(lake).filter(({ table }) => table === 'events');
  lake.sqlite.exec('create table kept as select * from events; delete from events');
  await exportLake(lake, { clock });
  expect(eventsIn()).toMatchObject([{ path: EMPTY, rows: 0 }]);
  lake.sqlite.exec('insert into events select * from kept');
  touch(lake, 'events', '2026-03-01');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 1, removed: 1 });
  expect(eventsIn()).toMatchObject([{ date: '2026-03-01', rows: 1 }]);
  lake.sqlite.exec('delete from events');
  touch(lake, 'events', '2026-03-01');
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 1, removed: 1 });
  expect(eventsIn()).toMatchObject([{ path: EMPTY, rows: 0 }]);
  expectWhole(lake);
});

test('another codec rewrites every file, and says so in the manifest', async () => {
  const lake = await exportedLake();
  for (const codec of ['snappy', 'gzip', 'zstd'] as const) {
    expect(await exportLake(lake, { clock, codec })).toMatchObject({ files: 13 });
    expect(await exportLake(lake, { clock, codec })).toMatchObject({ files: 0 });
    expectWhole(lake);
  }
});

test.skipIf(process.platform === 'win32')(
  'no file is one that all users may write to',
  async () => {
    const lake = filledLake();
    const before = process.umask(0);
    try {
      await exportLake(lake, { clock });
    } finally {
      process.umask(before);
    }
    const names = readdirSync(folderOf(lake), { recursive: true, encoding: 'utf8' });
    for (const name of names) expect(statSync(join(folderOf(lake), name)).mode & 0o002).toBe(0);
  },
);

test('one export at a time; the next may start when it is done', async () => {
  const lake = filledLake();
  await withExclusive(lake.dataDir, 'export', clock, async () => {
    const second = exportLake(lake, { clock });
    await expect(second).rejects.toThrow(LakeError);
    await expect(second).rejects.toThrow(/Another export is at work .*process \d+ on .*2026-03-01/);
  });
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 13 });
});

test.for([
  { where: 'in a thread of its own', here: false },
  { where: 'here', here: true },
])(
  'stops on its signal with the signal’s reason, and the next export completes: $where',
  async ({ here }) => {
    const lake = filledLake();
    const stopping = new AbortController();
    const stopped = exportLake(lake, {
      clock,
      here,
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error('stopped by SIGINT')),
    });
    await stopped.then(
      () => undefined, // it was done before it saw the signal
      (error: unknown) => expect(String(error)).toContain('stopped by SIGINT'),
    );
    await expect(
      exportLake(lake, { clock, here, signal: AbortSignal.abort(new Error('before it began')) }),
    ).rejects.toThrow('before it began');
    await exportLake(lake, { clock, here });
    expectWhole(lake);
  },
);
