import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { checkPublished } from '../../../src/output/delta/check-published.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake } from '../parquet/filled-lake.ts';
import { makeDatePartitioned } from './date-partitioned.ts';
import { queryTable, readDeltaLog } from './delta-reader.ts';
import { dyingStore } from './dying-store.ts';
import { changeFirstDay, exportAndPublish, publish } from './publishing.ts';

const TABLE = 'video_snapshots';
const APRIL = { clock: virtualClock(Date.UTC(2026, 3, 20)) };
const ALL = 'select lake, date::varchar, * exclude (lake, date) from t order by all';

/** A folder with a table of two lakes in its earlier form, and its rows. */
const earlierTable = async () => {
  const folder = freshFolder();
  const lakes = { berlin: await exportedLake(), oslo: await exportedLake() };
  changeFirstDay(lakes.oslo, 1);
  await exportAndPublish(lakes.oslo, folder, 'oslo');
  await publish(lakes.berlin, folder, 'berlin');
  await makeDatePartitioned(folder, TABLE, lakes);
  const earlier = await readDeltaLog(join(folder, TABLE));
  const rows = await queryTable(earlier, ALL);
  expect(rows).toHaveLength(61);
  return { folder, lakes, rows };
};
const rowsNow = async (folder: string) => {
  const table = await readDeltaLog(join(folder, TABLE));
  return { table, rows: await queryTable(table, ALL) };
};

test('a table partitioned by date gets its present form for all lakes by the next publish of one', async () => {
  const { folder, lakes, rows } = await earlierTable();
  const store = new FileStore(folder);
  expect((await checkPublished(lakes.berlin.dataDir, store, 'berlin')).problems).toEqual([
    'video_snapshots has the form of an earlier version; the next publish renews it',
  ]);
  await publish(lakes.berlin, folder, 'berlin', APRIL);
  const renewed = await rowsNow(folder);
  expect(renewed.rows).toEqual(rows);
  expect(renewed.table.partitionColumns).toEqual(['lake']);
  expect([...renewed.table.files.keys()].sort()).toEqual([
    expect.stringMatching(/^lake=berlin\/2026-03-[0-9a-f]{64}\.parquet$/),
    expect.stringMatching(/^lake=oslo\/2026-03-[0-9a-f]{64}\.parquet$/),
  ]);
  const published = await publish(lakes.oslo, folder, 'oslo', APRIL);
  expect(published.tables.find(({ table }) => table === TABLE)).toMatchObject({ files: 0 });
  for (const [name, { dataDir }] of Object.entries(lakes))
    expect((await checkPublished(dataDir, store, name)).problems).toEqual([]);
});

test.each(['before', 'after'] as const)(
  'an upgrade killed %s any of its operations is ended by the next publish',
  async (moment) => {
    const { folder, lakes, rows } = await earlierTable();
    for (let at = 0, isOver = false; !isOver; at += 1) {
      const { store } = dyingStore(new FileStore(folder), at, moment);
      isOver = await publish(lakes.berlin, folder, 'berlin', { ...APRIL, store }).then(
        () => true,
        () => false,
      );
      expect((await rowsNow(folder)).rows).toEqual(rows);
    }
    expect((await rowsNow(folder)).table.partitionColumns).toEqual(['lake']);
  },
);

test('lakes that renew a table at once leave every row once', async () => {
  const { folder, lakes, rows } = await earlierTable();
  await Promise.all(
    Object.entries(lakes).map(([name, lake]) => publish(lake, folder, name, APRIL)),
  );
  expect((await rowsNow(folder)).rows).toEqual(rows);
});

test.each([
  ['is missing', (path: string) => rmSync(path)],
  ['is not what its name says', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
])('a file of another lake that %s is named, and nothing is changed', async (words, harm) => {
  const { folder, lakes } = await earlierTable();
  const day = join(folder, TABLE, 'lake=oslo/date=2026-03-02');
  const [name = ''] = readdirSync(day);
  harm(join(day, name));
  const log = join(folder, TABLE, '_delta_log');
  const before = readdirSync(log);
  await expect(publish(lakes.berlin, folder, 'berlin', APRIL)).rejects.toThrow(words);
  expect(readdirSync(log)).toEqual(before);
});
