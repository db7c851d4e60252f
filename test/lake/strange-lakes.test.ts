import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { virtualClock } from '../../src/base/clock.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import { backupLake } from '../../src/run/maintenance/backup.ts';
import { freshDataDir, freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const clock = virtualClock(Date.UTC(2026, 2, 1));
const COMMANDS = [['sync'], ['status'], ['export'], ['query', 'select 1'], ['import', '.']];

const refusals = async (dataDir: string): Promise<[number, string][]> => {
  const found: [number, string][] = [];
  for (const argv of COMMANDS) {
    const { code, err } = await runCommand(argv, { dataDir, sandboxCreators: 3 });
    found.push([code, err]);
  }
  return found;
};

test('every command refuses a lake with a negative schema version', async () => {
  const dataDir = freshDataDir();
  const sqlite = new Database(join(dataDir, LAKE_FILE));
  sqlite.pragma('user_version = -3');
  sqlite.close();
  for (const [code, err] of await refusals(dataDir)) {
    expect(code).toBe(2);
    expect(err).toContain('its schema version is -3');
  }
});

test('every command refuses a lake whose tables are views', async () => {
  const dataDir = freshDataDir();
  const sqlite = new Database(join(dataDir, LAKE_FILE));
  sqlite.exec(
    'alter table calls rename to other_calls; create view calls as select * from other_calls',
  );
  sqlite.close();
  for (const [code, err] of await refusals(dataDir)) {
    expect(code).toBe(2);
    expect(err).toContain('calls is a view where a lake has a table');
  }
});

/** A backup of an empty lake, changed by somebody. */
const changedBackup = async (sql: string): Promise<{ dataDir: string; path: string }> => {
  const lake = freshLake();
  const { path } = await backupLake(lake, { clock });
  const sqlite = new Database(path);
  sqlite.function('fold_handle', (handle: unknown) => handle);
  sqlite.exec(sql);
  sqlite.close();
  return { dataDir: lake.dataDir, path };
};

test.each([
  ['a trigger', 'create trigger spy after insert on calls begin select 1; end', 'trigger spy'],
  ['a view', 'create view secrets as select 1 as one', 'view secrets'],
  [
    'a changed trigger of ours',
    'drop trigger search_video_added; create trigger search_video_added after insert on video begin select 1; end',
    'trigger search_video_added',
  ],
])('a backup with %s that trendlake did not make is not restored', async (_, sql, named) => {
  const { dataDir, path } = await changedBackup(sql);
  const { code, err } = await runCommand(['doctor', '--restore', path], { dataDir });
  expect(code).toBe(2);
  expect(err).toContain(`its ${named} was not made by trendlake`);
  expect(readdirSync(dataDir).filter((name) => name.includes('before'))).toEqual([]);
});

test('what is not a regular file is not restored', async () => {
  const dataDir = freshDataDir();
  const pipe = join(dataDir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { code, err } = await runCommand(['doctor', '--restore', pipe], { dataDir });
  expect(code).toBe(2);
  expect(err).toContain('it is not a regular file');
});

test('an import of a folder does not follow a link out of it', async () => {
  const [dataDir, folder, outside] = [freshDataDir(), freshFolder(), freshFolder()];
  const target = join(outside, 'videos.ndjson');
  writeFileSync(target, '{"id":"tt_1","platform":"tiktok"}\n');
  symlinkSync(target, join(folder, 'videos.ndjson'));
  const { code, err } = await runCommand(['import', folder], { dataDir });
  expect(code).toBe(2);
  expect(err).toContain(`is a link to ${target}, outside the folder`);
  expect((await runCommand(['import', target], { dataDir })).code).toBe(0);
});

test('a lake that was deleted while it is open is noticed', () => {
  const lake = freshLake();
  expect(() => lake.requireThere()).not.toThrow();
  execFileSync('rm', [lake.path]);
  expect(lake.isThere).toBe(false);
  expect(() => lake.requireThere()).toThrow('was deleted or moved while this process had it open');
});

const OPEN = new URL('../../src/lake/open.ts', import.meta.url).href;
const NOBODY = 65534;

test('a lake of another user is named with both users, without a stack', () => {
  const folder = freshFolder();
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  openLake(dataDir).close();
  chmodSync(join(dataDir, LAKE_FILE), process.getuid?.() === 0 ? 0o600 : 0);
  for (const path of [folder, dataDir]) chmodSync(path, 0o755);
  const script = `
    const { openLakeForReading } = await import('${OPEN}');
    if (process.getuid() === 0) process.setuid(${NOBODY});
    try { openLakeForReading(${JSON.stringify(dataDir)}); } catch (error) { console.log(error.name, error.message); }`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(stdout).toContain(`UsageError Could not open ${join(dataDir, LAKE_FILE)}:`);
  expect(existsSync(join(dataDir, LAKE_FILE))).toBe(true);
});
