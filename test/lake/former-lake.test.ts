import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { backupLake } from '../../src/run/maintenance/backup.ts';
import { freshFolder } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const clock = virtualClock(Date.UTC(2026, 2, 1));

interface Parts {
  readonly backup?: boolean;
  readonly parquet?: boolean;
  readonly service?: boolean;
}

/** A data directory that had a lake, and still has some of what belonged to it. */
const robbedFolder = async ({ backup, parquet, service }: Parts): Promise<string> => {
  const dataDir = freshFolder();
  const lake = openLake(dataDir);
  if (backup) await backupLake(lake, { clock });
  if (parquet) await exportLake(lake, { clock });
  lake.close();
  if (service) openServiceDb(dataDir).close();
  for (const name of readdirSync(dataDir).filter((file) => file.startsWith('trendlake.db')))
    rmSync(join(dataDir, name));
  return dataDir;
};

const PARTS: readonly [string, Parts, string][] = [
  ['a backup', { backup: true }, '1 backup of a lake'],
  ['Parquet files', { parquet: true }, 'Parquet files of a lake'],
  ['keys of a service', { service: true }, 'service.db of a lake'],
];

test.each(PARTS)(
  '%s without their lake keep commands from starting an empty one',
  async (_, parts, named) => {
    const dataDir = await robbedFolder(parts);
    for (const argv of [
      ['sync'],
      ['import', '.'],
      ['status'],
      ['export'],
      ['serve', '--port', '0'],
    ]) {
      const { code, err } = await runCommand(argv, { dataDir, sandboxCreators: 3 });
      expect([argv[0], code]).toEqual([argv[0], 1]);
      expect(err).toContain(named);
      expect(err).toContain('--new-lake');
    }
    expect(existsSync(join(dataDir, 'trendlake.db'))).toBe(false);
  },
);

test('the refusal names the newest backup, and restoring it brings the lake back', async () => {
  const dataDir = await robbedFolder({ backup: true, parquet: true });
  const { err } = await runCommand(['sync'], { dataDir, sandboxCreators: 3 });
  expect(err).toContain(join(dataDir, 'backups', 'trendlake-2026-03-01.db'));
  expect((await runCommand(['doctor'], { dataDir })).code).toBe(1);
  const restored = await runCommand(['doctor', '--restore', '--json'], { dataDir });
  expect(JSON.parse(restored.out)).toMatchObject({ callsCarried: null });
  expect(restored.err).toContain('The calls made since the backup could not be read');
  expect((await runCommand(['status'], { dataDir })).code).toBe(0);
});

test('--new-lake starts an empty lake and keeps what the former one left', async () => {
  const dataDir = await robbedFolder({ backup: true, parquet: true, service: true });
  const { code, err } = await runCommand(['import', join(dataDir, 'in'), '--new-lake'], {
    dataDir: prepared(dataDir),
  });
  expect(code).toBe(0);
  expect(err).toContain('former-lake-1');
  expect(readdirSync(join(dataDir, 'former-lake-1')).sort()).toEqual(['backups', 'parquet']);
  expect(existsSync(join(dataDir, 'service.db'))).toBe(true);
  const exported = await runCommand(['export'], { dataDir });
  expect(exported.code).toBe(0);
});

test('a first start moves nothing, whatever folders are there', () => {
  const dataDir = freshFolder();
  for (const name of ['backups', 'parquet']) mkdirSync(join(dataDir, name));
  writeFileSync(join(dataDir, 'parquet', 'mine.parquet'), 'of somebody else');
  openLake(dataDir).close();
  expect(readdirSync(dataDir)).not.toContain('former-lake-1');
  expect(readdirSync(join(dataDir, 'parquet'))).toEqual(['mine.parquet']);
});

test('--new-lake leaves a lake that is there alone', async () => {
  const dataDir = freshFolder();
  openLake(dataDir).close();
  expect((await runCommand(['status', '--new-lake'], { dataDir })).code).toBe(0);
  expect(readdirSync(dataDir)).not.toContain('former-lake-1');
});

test('a key made before the first sync does not keep a lake from being made', async () => {
  const dataDir = freshFolder();
  expect((await runCommand(['keys', 'create', '--use-case', 'first'], { dataDir })).code).toBe(0);
  expect(() => openLake(dataDir).close()).not.toThrow();
});

/** Puts an empty import beside the lake. */
const prepared = (dataDir: string): string => {
  mkdirSync(join(dataDir, 'in'));
  writeFileSync(
    join(dataDir, 'in', 'videos.ndjson'),
    '{"id":"tt_1","platform":"tiktok","title":"a","user":"u","createdAt":"2026-01-01"}\n',
  );
  return dataDir;
};
