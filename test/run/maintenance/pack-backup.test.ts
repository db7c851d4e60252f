import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { openServiceDb } from '../../../src/lake/keys/service-db.ts';
import { FileStore } from '../../../src/output/delta/file-store.ts';
import { packBackup } from '../../../src/run/maintenance/pack-backup.ts';
import { unpackBackup } from '../../../src/run/maintenance/packed-backup.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { openTestLake } from '../../support/test-lake.ts';

const T0 = Date.UTC(2026, 2, 1, 5, 15);
const { signal } = new AbortController();

test('lake and service.db are copied as of one instant, whatever is committed meanwhile', async () => {
  const lake = freshLake();
  const { dataDir } = lake;
  new LakeBuilder(lake).video({ id: 'tt_1', title: 'before', snapshots: [[T0, 1]] });
  const service = openServiceDb(dataDir);
  service.exec("create table note (text); insert into note values ('before')");
  const store = new FileStore(freshFolder());
  const packing = packBackup(lake, store, { clock: virtualClock(T0), signal });
  service.exec("update note set text = 'after'");
  lake.sqlite.exec("update video set title = 'after'");
  await packing;
  service.close();
  const unpacked = await unpackBackup(store, undefined, freshFolder());
  const read = (path: string | undefined, sql: string): unknown => {
    const sqlite = new Database(path);
    const value = sqlite.prepare(sql).pluck().get();
    sqlite.close();
    return value;
  };
  expect(read(unpacked.lake, 'select title from video')).toBe('before');
  expect(read(unpacked.service, 'select text from note')).toBe('before');
});

test('the next backup removes what killed ones left, here and in the store', async () => {
  const lake = freshLake();
  const folder = join(lake.dataDir, 'backups');
  mkdirSync(folder);
  const time = 'trendlake-2026-02-01T05-15-00-000Z';
  const remains = [
    'service.db.packing',
    'service.db.packing.zst',
    'service.db.packing-wal',
    'trendlake-2026-02-01.db.zst',
    'trendlake-2026-02-01.db.new-journal',
    `${time}.db`,
    `${time}.db.zst`,
    `${time}.service.db`,
    `${time}.service.db.zst`,
  ];
  for (const name of [...remains, 'mine.db.zst', 'trendlake-2026-02-01.db'])
    writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'rewriting'));
  const to = freshFolder();
  const unfinished = (name: string, modifiedAt: number): string => {
    const path = join(to, 'backups', name, 'lake.db.zst');
    mkdirSync(join(to, 'backups', name), { recursive: true });
    writeFileSync(path, 'half');
    utimesSync(path, modifiedAt / 1000, modifiedAt / 1000);
    return path;
  };
  const killed = unfinished(time, T0 - 2 * DAY_MS);
  const running = unfinished('trendlake-2026-03-01T05-14-00-000Z', T0 - 60_000); // of another lake
  await packBackup(lake, new FileStore(to), { clock: virtualClock(T0), signal });
  expect(readdirSync(folder).sort()).toEqual([
    'mine.db.zst',
    'trendlake-2026-02-01.db',
    'trendlake-2026-03-01.db',
  ]);
  expect([existsSync(killed), existsSync(running)]).toEqual([false, true]);
});

test('two backups of a lake do not run at once', async () => {
  const lake = freshLake();
  const other = openTestLake(lake.dataDir);
  const store = new FileStore(freshFolder());
  const first = packBackup(lake, store, { clock: virtualClock(T0), signal });
  const second = packBackup(other, store, { clock: virtualClock(T0 + 1), signal });
  await expect(second).rejects.toThrow(/Another backup is at work/);
  await first;
  other.close();
});
