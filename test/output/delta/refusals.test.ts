import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandText } from '../../../src/base/installation.ts';
import { openLake } from '../../../src/lake/open.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake, filledLake } from '../parquet/filled-lake.ts';
import { readDeltaLog } from './delta-reader.ts';
import { aClock, changeFirstDay, exportAndPublish, filesBelow, publish } from './publishing.ts';

const logOf = (folder: string, table: string): string => join(folder, table, '_delta_log');
const named = (version: number): string => `${String(version).padStart(20, '0')}.json`;

test('a table of another program is left as it is', async () => {
  const folder = freshFolder();
  mkdirSync(logOf(folder, 'videos'), { recursive: true });
  const commit = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    {
      metaData: {
        id: 'x',
        format: { provider: 'parquet', options: {} },
        partitionColumns: [],
        schemaString: '{"type":"struct","fields":[]}',
        configuration: {},
      },
    },
  ];
  writeFileSync(
    join(logOf(folder, 'videos'), named(0)),
    commit.map((a) => JSON.stringify(a)).join('\n'),
  );
  await expect(publish(await exportedLake(), folder, 'berlin')).rejects.toThrow(
    'videos is a Delta table that trendlake did not make',
  );
  expect(filesBelow(join(folder, 'videos'))).toHaveLength(1);
});

test('a table of a newer protocol is left as it is', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin');
  const newer = { protocol: { minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ['x'] } };
  writeFileSync(join(logOf(folder, 'video_snapshots'), named(1)), `${JSON.stringify(newer)}\n`);
  changeFirstDay(lake, 1);
  await expect(exportAndPublish(lake, folder, 'berlin')).rejects.toThrow(
    'asks for Delta protocol 3/7 (reader/writer); this trendlake knows 1/2',
  );
});

test('a log with a gap, or with an invalid line, is named', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin');
  changeFirstDay(lake, 1);
  await exportAndPublish(lake, folder, 'berlin');
  const first = join(logOf(folder, 'video_snapshots'), named(0));
  const text = readFileSync(first);
  writeFileSync(first, text.subarray(0, 500));
  await expect(publish(lake, folder, 'berlin')).rejects.toThrow('its commit 0 is damaged');
  rmSync(first);
  await expect(publish(lake, folder, 'berlin')).rejects.toThrow('its commit 0 is missing');
});

test('another lake of the same name does not take out what the first one published', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  const other = await exportedLake();
  await publish(lake, folder, 'berlin');
  const before = filesBelow(folder);
  await expect(publish(other, folder, 'berlin')).rejects.toThrow(
    'Another lake publishes as "berlin"',
  );
  expect(filesBelow(folder)).toEqual(before);
  await publish(other, folder, 'berlin', { replace: true });
  await expect(publish(lake, folder, 'berlin')).rejects.toThrow('Another lake publishes');
  expect(await publish(other, folder, 'berlin')).toMatchObject({ files: 0 });
});

test("a lake restored from its backup goes on from the table's number", async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin');
  await backupLake(lake, { clock: aClock(), signal: new AbortController().signal });
  for (const round of [1, 2]) {
    changeFirstDay(lake, round);
    await exportAndPublish(lake, folder, 'berlin');
  }
  lake.close();
  await restoreLake(lake.dataDir, undefined, aClock());
  rmSync(join(lake.dataDir, 'parquet'), { recursive: true });
  const restored = openLake(lake.dataDir);
  await exportAndPublish(restored, folder, 'berlin');
  restored.close();
  const table = await readDeltaLog(join(folder, 'video_snapshots'));
  expect(table.version).toBe(3);
  expect(table.txns.get('trendlake:berlin')).toBe(3);
  expect([...table.files.values()].map(({ stats }) => JSON.parse(stats ?? '').numRecords)).toEqual([
    10, 10, 10,
  ]);
});

test('without an export there is nothing to publish', async () => {
  const lake = filledLake();
  await expect(publish(lake, freshFolder(), 'berlin')).rejects.toThrow(
    `Run \`${commandText('export')}\` first`,
  );
});

test('a file that is not the one of the manifest is not published', async () => {
  const lake = await exportedLake();
  const folder = freshFolder();
  const path = join(lake.dataDir, 'parquet/videos/videos.parquet');
  const bytes = readFileSync(path);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  await expect(publish(lake, folder, 'berlin')).rejects.toThrow(
    'videos.parquet is not the file that the manifest names',
  );
});
