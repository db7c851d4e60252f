import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { freshFolder } from '../../support/fresh.ts';
import { exportedLake, NOON_AT } from '../parquet/filled-lake.ts';
import { queryTable, readDeltaLog } from './delta-reader.ts';
import { changeFirstDay, exportAndPublish, lakeOfTwoExports, publish } from './publishing.ts';

const DAY_MS = 86_400_000;

const parquetOf = (folder: string, lake: string): string[] =>
  readdirSync(join(folder, 'video_snapshots', `lake=${lake}`), {
    recursive: true,
    encoding: 'utf8',
  })
    .filter((name) => name.endsWith('.parquet'))
    .sort();

test('files taken out stay for a week, then go with the next change; those of other lakes stay', async () => {
  const folder = freshFolder();
  const [lake, other] = [await exportedLake(), await exportedLake()];
  const clock = virtualClock(NOON_AT);
  await publish(lake, folder, 'berlin', { clock });
  await publish(other, folder, 'oslo', { clock });
  const [first] = parquetOf(folder, 'berlin');
  changeFirstDay(lake, 1);
  changeFirstDay(other, 1);
  await exportAndPublish(lake, folder, 'berlin', { clock });
  await exportAndPublish(other, folder, 'oslo', { clock });
  clock.advanceTo(NOON_AT + 6 * DAY_MS);
  changeFirstDay(lake, 2);
  await exportAndPublish(lake, folder, 'berlin', { clock });
  expect(parquetOf(folder, 'berlin')).toHaveLength(5);
  clock.advanceTo(NOON_AT + 8 * DAY_MS);
  changeFirstDay(lake, 3);
  await exportAndPublish(lake, folder, 'berlin', { clock });
  expect(parquetOf(folder, 'berlin')).toHaveLength(5); // one went, one came
  expect(parquetOf(folder, 'berlin')).not.toContain(first);
  expect(parquetOf(folder, 'oslo')).toHaveLength(4);
  const table = await readDeltaLog(join(folder, 'video_snapshots'));
  expect(
    await queryTable(table, 'select lake, count(*)::int from t group by 1 order by 1'),
  ).toEqual([
    ['berlin', 33],
    ['oslo', 31],
  ]);
});

test('once a month what no commit names is removed', async () => {
  const folder = freshFolder();
  const lake = await exportedLake();
  await publish(lake, folder, 'berlin');
  const table = join(folder, 'video_snapshots');
  // as a publish leaves it that was killed before its commit, long ago
  const log = join(table, '_delta_log');
  for (const name of readdirSync(log)) rmSync(join(log, name));
  const [stray = ''] = parquetOf(folder, 'berlin');
  changeFirstDay(lake, 1);
  await exportAndPublish(lake, folder, 'berlin');
  const later = virtualClock(Math.max(Date.now(), NOON_AT) + 40 * DAY_MS); // files are as old as the disk says
  changeFirstDay(lake, 2);
  await exportAndPublish(lake, folder, 'berlin', { clock: later });
  expect(existsSync(join(table, 'lake=berlin', stray))).toBe(false);
  expect(await queryTable(await readDeltaLog(table), 'select count(*)::int from t')).toEqual([
    [32],
  ]);
});

test('every hundredth commit leaves a checkpoint, from which a reader begins', async () => {
  const folder = freshFolder();
  const { lake, before, after } = await lakeOfTwoExports();
  for (let version = 0; version <= 101; version += 1) {
    (version % 2 === 0 ? before : after)();
    await publish(lake, folder, 'berlin');
  }
  const log = join(folder, 'video_snapshots/_delta_log');
  expect(readdirSync(log)).toContain('00000000000000000100.checkpoint.parquet');
  const whole = await readDeltaLog(join(folder, 'video_snapshots'));
  for (let version = 0; version <= 99; version += 1)
    rmSync(join(log, `${String(version).padStart(20, '0')}.json`));
  const table = await readDeltaLog(join(folder, 'video_snapshots'));
  expect(table).toEqual(whole);
  expect(table.version).toBe(101);
  expect(await queryTable(table, 'select count(*)::int from t')).toEqual([[31]]);
  expect(await publish(lake, folder, 'berlin')).toMatchObject({ files: 0, removed: 0 });
  before();
  await publish(lake, folder, 'berlin');
  expect((await readDeltaLog(join(folder, 'video_snapshots'))).version).toBe(102);
});
