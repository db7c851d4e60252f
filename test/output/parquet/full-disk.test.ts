import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { LakeError } from '../../../src/base/errors.ts';
import { lakeIdOf } from '../../../src/lake/meta.ts';
import { type Lake, openLakeForReading } from '../../../src/lake/open.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import {
  exportPartitions,
  type PartitionsDeps,
} from '../../../src/output/parquet/export-partitions.ts';
import { type Disk, explaining, systemDisk } from '../../../src/output/parquet/install-file.ts';
import { PARQUET_TABLES } from '../../../src/output/parquet/parquet-tables.ts';
import { expectWhole, folderOf } from './exported-files.ts';
import { filledLake, NOON_AT } from './filled-lake.ts';

const clock = virtualClock(NOON_AT);

const orderTo = (lake: Lake, reading: Lake, disk: Disk): PartitionsDeps => ({
  sqlite: reading.sqlite,
  folder: folderOf(lake),
  lake: { lakeId: lakeIdOf(lake), restoreMark: '' },
  tables: PARQUET_TABLES,
  codec: 'zstd',
  full: true,
  exportedAt: 'now',
  disk,
  checkStop: () => undefined,
  onFile: () => {},
});

const exportTo = async (lake: Lake, disk: Disk): Promise<void> => {
  const reading = openLakeForReading(lake.dataDir);
  try {
    await exportPartitions(orderTo(lake, reading, disk));
  } finally {
    reading.close();
  }
};

/** A disk with room for so many bytes. */
const diskOf = (room: number): Disk => ({
  write: (file, bytes) => {
    if (room === 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      });
    const taken = writeSync(file, bytes.subarray(0, room));
    room -= taken;
    return taken;
  },
});

test('a full disk is one clear error, wherever it strikes; existing files are untouched', async () => {
  const lake = filledLake();
  await exportLake(lake, { clock });
  const manifest = readFileSync(join(folderOf(lake), 'manifest.json'));
  for (const room of [0, 3, 700, 5_000, 6_000, 8_000]) {
    await expect(exportTo(lake, diskOf(room))).rejects.toThrow(LakeError);
    await expect(exportTo(lake, diskOf(room))).rejects.toThrow(/the disk is full.*Make room/);
    expect(readFileSync(join(folderOf(lake), 'manifest.json'))).toEqual(manifest);
    expectWhole(lake);
  }
});

test('a disk that takes a few bytes at a time gets the whole file', async () => {
  const lake = filledLake();
  await exportTo(lake, { write: (file, bytes) => writeSync(file, bytes.subarray(0, 61)) });
  expectWhole(lake);
});

test('a disk too full to sort on is reported as full', async () => {
  const lake = filledLake();
  const reading = openLakeForReading(lake.dataDir);
  const full = exportPartitions({
    ...orderTo(lake, reading, systemDisk),
    checkStop: () => {
      reading.sqlite.exec('rollback'); // as SQLite does by itself
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    },
  });
  await expect(full).rejects.toThrow(/Sorting rows for .* its disk is full/);
  reading.close();
});

test('bytes that read back otherwise are not put in place', async () => {
  const lake = filledLake();
  const flipping: Disk = {
    write: (file, bytes) =>
      writeSync(
        file,
        bytes.map((byte, i) => (i === 50 ? byte ^ 1 : byte)),
      ),
  };
  await expect(exportTo(lake, flipping)).rejects.toThrow(/does not read back as it was written/);
});

test('a file where the folder should be is named', async () => {
  const lake = filledLake();
  writeFileSync(folderOf(lake), 'not a folder');
  await expect(exportLake(lake, { clock })).rejects.toThrow(LakeError);
  await expect(exportLake(lake, { clock })).rejects.toThrow(/parquet.* could not be written/);
  expect(readFileSync(folderOf(lake), 'utf8')).toBe('not a folder');
});

test('a file that another program has open is named, where the system refuses to replace it', async () => {
  const refused = Object.assign(new Error('EPERM: operation not permitted, rename'), {
    code: 'EPERM',
    syscall: 'rename',
  });
  const rename = (): never => {
    throw refused;
  };
  await expect(explaining('videos.parquet', rename)).rejects.toThrow(
    'videos.parquet could not be written: EPERM: operation not permitted, rename. An existing file there is untouched. Close the program that has it open and run `',
  );
});
