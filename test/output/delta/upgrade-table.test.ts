import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPublished } from '../../../src/output/delta/check-published.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { APRIL, earlierTable, rowsNow, TABLE } from './earlier-table.ts';
import { publish } from './publishing.ts';

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
