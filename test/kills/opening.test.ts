import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { countOf } from '../../fixtures/lake-rows.ts';
import { putReleasedLake } from '../../fixtures/released-lake.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { virtualClock } from '../../src/base/clock.ts';
import { migrate, SCHEMA_VERSION } from '../../src/lake/migrate.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import { backupLake } from '../../src/run/maintenance/backup.ts';
import { restoreLake } from '../../src/run/maintenance/restore.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { runDying } from '../support/dying-process.ts';
import { freshFolder } from '../support/fresh.ts';
import { expectSound } from '../support/lake-invariants.ts';
import { SEED } from '../support/seed.ts';

const child = (name: string): string => join(import.meta.dirname, `${name}-child.ts`);
const MIGRATIONS = join(import.meta.dirname, '..', '..', 'schema', 'migrations');
const clock = virtualClock(WORLD_AT);

describe('killed while a lake is made, the next open makes it whole and leaves nothing over', () => {
  test.each([
    'before pragma application_id',
    'before exec create table `analyses`',
    'after exec create table `analyses`',
    'after exec delete from sqlite_stat1',
    'before pragma user_version = 1',
    'after pragma user_version = 1',
    'before pragma foreign_keys = on',
    'after pragma journal_mode',
    'before link trendlake.db',
    'after link trendlake.db',
    'after rm trendlake.db.new',
  ])('%s', async (dieAt) => {
    const dataDir = freshFolder();
    expect(await runDying(child('open-lake'), [dataDir], { dieAt })).toBe('SIGKILL');
    const left = existsSync(join(dataDir, LAKE_FILE));
    expect(left).toBe(/ (link|rm) /.test(dieAt) && dieAt.startsWith('after'));
    openLake(dataDir).close();
    expect(readdirSync(dataDir)).toEqual(['locks', LAKE_FILE]);
    expectSound(dataDir);
  });
});

const VIDEOS = 20_000;
/** The next migration: a column, a table whose rows need their parents, every row touched. */
const NEXT = `
  alter table video add column probe text;
  update video set probe = 'probe of ' || id;
  create table probes (video_key integer primary key references video (key), word text) strict;
  insert into probes select key, probe from video;`;

let old: string;
let folder: string;
beforeAll(() => {
  old = freshFolder(); // filled past the loader: its search is not yet made
  const lake = openLake(old);
  lake.sqlite.exec(`
    insert into video (id, platform, title) with recursive n(i) as
      (select 0 union all select i + 1 from n where i < ${VIDEOS - 1})
      select 'tt_' || i, 'tiktok', 'Video ' || i from n; delete from search_pending;`);
  lake.close();
  folder = freshFolder();
  for (const name of readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')))
    copyFileSync(join(MIGRATIONS, name), join(folder, name));
  writeFileSync(join(folder, '9999_next.sql'), NEXT);
});

/** A separate lake with data, before the next migration. */
const oldLake = (): string => {
  const dataDir = freshFolder();
  copyFileSync(join(old, LAKE_FILE), join(dataDir, LAKE_FILE));
  return dataDir;
};

/** The schema version of a file that is wholly of that version, the project's own or the one after it. */
const wholeVersion = (path: string): number => {
  const sqlite = new Database(path);
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(sqlite.pragma('foreign_key_check')).toEqual([]);
    expect(countOf({ sqlite }, 'select count(*) from video')).toBe(VIDEOS);
    const version = sqlite.pragma('user_version', { simple: true }) as number;
    const isNew = countOf(
      { sqlite },
      "select count(*) from pragma_table_info('video') where name = 'probe'",
    );
    expect(isNew).toBe(version - SCHEMA_VERSION);
    expect(countOf({ sqlite }, "select count(*) from sqlite_schema where name = 'probes'")).toBe(
      isNew,
    );
    if (isNew === 1) expect(countOf({ sqlite }, 'select count(word) from probes')).toBe(VIDEOS);
    expect(countOf({ sqlite }, 'select count(*) from sqlite_stat1')).toBeGreaterThan(0);
    return version;
  } finally {
    sqlite.close();
  }
};

/** Old or new, never between; its copy whole; and the next one gets it there. */
const expectOldOrNew = (dataDir: string): number => {
  const path = join(dataDir, LAKE_FILE);
  const version = wholeVersion(path);
  const copy = `${path}.v${SCHEMA_VERSION}`;
  if (existsSync(copy)) expect(wholeVersion(copy)).toBe(SCHEMA_VERSION);
  else expect(version).toBe(SCHEMA_VERSION);
  if (version === SCHEMA_VERSION) {
    openLake(dataDir).close();
    expect(readdirSync(dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
  }
  const sqlite = new Database(path);
  migrate(sqlite, path, { folder });
  sqlite.close();
  expect(wholeVersion(path)).toBe(SCHEMA_VERSION + 1);
  expect(wholeVersion(copy)).toBe(SCHEMA_VERSION);
  return version;
};

describe('killed in a migration of a lake that holds data: the old one or the new one', () => {
  test.each([
    [`before rename ${LAKE_FILE}.v${SCHEMA_VERSION}.new`, SCHEMA_VERSION],
    [`after rename ${LAKE_FILE}.v${SCHEMA_VERSION}.new`, SCHEMA_VERSION],
    ['before exec alter table', SCHEMA_VERSION],
    ['after exec alter table', SCHEMA_VERSION],
    ['after pragma foreign_key_check', SCHEMA_VERSION],
    ['after exec delete from sqlite_stat1', SCHEMA_VERSION],
    [`after pragma user_version = ${SCHEMA_VERSION + 1}`, SCHEMA_VERSION],
    ['before pragma foreign_keys = on', SCHEMA_VERSION + 1],
  ])('%s', async (dieAt, version) => {
    const dataDir = oldLake();
    expect(await runDying(child('migrate'), [dataDir, folder], { dieAt })).toBe('SIGKILL');
    expect(expectOldOrNew(dataDir)).toBe(version);
  });

  test('at random instants', async () => {
    const random = new RandomStream(SEED);
    let spanMs = 0;
    for (let kill = 0; kill < 10; kill++) {
      const dataDir = oldLake();
      const process_ = spawn(process.execPath, [child('migrate'), dataDir, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(process_.stdout, 'data');
      const begunAt = performance.now();
      const timer = setTimeout(() => process_.kill('SIGKILL'), random.next() * spanMs);
      if (kill === 0) clearTimeout(timer); // the first one shows how long it takes
      await once(process_, 'close');
      clearTimeout(timer);
      if (kill === 0) spanMs = performance.now() - begunAt;
      expectOldOrNew(dataDir);
      rmSync(dataDir, { recursive: true });
    }
  });
});

describe('killed while a lake of 0.1.0 is upgraded: still the old lake, or the whole new one', () => {
  const COUNTS = 'select (select count(*) from video_snapshot) + (select count(*) from ranking)';

  test.each([
    [`before rename ${LAKE_FILE}.v1.new`, 1],
    [`after rename ${LAKE_FILE}.v1.new`, 1],
    ['before pragma foreign_keys = off', 1],
    ['before exec drop view', 1],
    ['after exec drop view', 1],
    ['after pragma user_version = 2', 1],
    ['after pragma foreign_key_check', 1],
    ['after exec delete from sqlite_stat1', 1],
    ['after exec analyze', 1],
    ['before pragma temp_store = 2', SCHEMA_VERSION],
  ])('%s', async (dieAt, version) => {
    const dataDir = freshFolder();
    putReleasedLake(dataDir);
    expect(await runDying(child('open-lake'), [dataDir], { dieAt })).toBe('SIGKILL');
    const left = new Database(join(dataDir, LAKE_FILE));
    expect(left.pragma('user_version', { simple: true })).toBe(version);
    const rows = countOf({ sqlite: left }, COUNTS);
    left.close();
    const lake = openLake(dataDir);
    expect(lake.sqlite.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
    expect(countOf(lake, COUNTS)).toBe(rows);
    expect(countOf(lake, 'select count(*) from handle_spelling')).toBe(12);
    lake.close();
    const copy = new Database(join(dataDir, `${LAKE_FILE}.v1`), { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(1);
    copy.close();
    expect(readdirSync(dataDir).filter((name) => name.includes('.new-'))).toEqual([]);
    expectSound(dataDir);
  });
});

describe('killed while a backup takes the place of a lake', () => {
  let kept: string;
  beforeAll(async () => {
    kept = freshFolder();
    const lake = openLake(kept);
    lake.sqlite.exec("insert into video (id, platform) values ('tt_old', 'tiktok')");
    await backupLake(lake, { clock });
    lake.sqlite.exec(
      `insert into calls (job, request, sent_at, sender) values ('feed', '/feed', ${WORLD_AT}, 'x')`,
    );
    lake.close();
  });

  test.each([
    'before rename trendlake.db.new',
    'after rename trendlake.db.new',
    'before rename trendlake.db$',
    'after rename trendlake.db$',
    'before rename trendlake.db.restored',
    'after rename trendlake.db.restored',
  ])(
    '%s: no empty lake is made, the next restore completes it, every call counted',
    async (dieAt) => {
      const dataDir = freshFolder();
      cpSync(kept, dataDir, { recursive: true });
      expect(await runDying(child('restore'), [dataDir], { dieAt })).toBe('SIGKILL');
      const open = (): void => openLake(dataDir).close();
      if (existsSync(join(dataDir, LAKE_FILE))) open();
      else expect(open).toThrow(/restore was interrupted.*doctor --restore/);
      await restoreLake(dataDir, undefined, clock);
      const lake = openLake(dataDir);
      expect(countOf(lake, 'select count(*) from video')).toBe(1);
      expect(countOf(lake, 'select count(*) from calls')).toBe(1);
      lake.close();
      expectSound(dataDir);
      const left = readdirSync(dataDir).filter((name) => /\.new-|\.restored/.test(name));
      expect(left).toEqual([]);
    },
  );

  test.each([
    'after rename trendlake.db.new',
    'after rename trendlake.db$',
    'after rename trendlake.db-wal$',
    'after rename trendlake.db-shm$',
    'after rename trendlake.db.restored',
  ])(
    '%s, while another holds the lake open: the calls in its journal are counted',
    async (dieAt) => {
      const dataDir = freshFolder();
      cpSync(kept, dataDir, { recursive: true });
      const held = openLake(dataDir);
      held.sqlite.exec(
        `insert into calls (job, request, sent_at, sender) values ('feed', '/feed', ${WORLD_AT}, 'x')`,
      );
      expect(await runDying(child('restore'), [dataDir], { dieAt })).toBe('SIGKILL');
      await restoreLake(dataDir, undefined, clock);
      held.close();
      const lake = openLake(dataDir);
      expect(countOf(lake, 'select count(*) from calls')).toBe(2);
      lake.close();
      expectSound(dataDir);
    },
  );
});
