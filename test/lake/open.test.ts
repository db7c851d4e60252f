import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { LAKE_FILE, openLake, openLakeForReading } from '../../src/lake/open.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
import { runCommand } from '../support/run-command.ts';

const OPEN = new URL('../../src/lake/open.ts', import.meta.url).href;

/** The message of opening a folder; the file there must be untouched by it. */
const refusal = (dataDir: string): string => {
  const path = join(dataDir, LAKE_FILE);
  const before = readFileSync(path);
  for (const open of [openLakeForReading, openLake])
    expect(() => open(dataDir)).toThrow(expect.objectContaining({ transient: false }));
  expect(readFileSync(path)).toEqual(before);
  try {
    openLake(dataDir).close();
    return '';
  } catch (error) {
    return String(error);
  }
};

test('a folder without a lake gets one, whole, and it is a lake the next time', () => {
  const dataDir = join(freshFolder(), 'new', 'folder');
  openLake(dataDir).close();
  expect(readdirSync(dataDir)).toEqual(['locks', LAKE_FILE]);
  openLake(dataDir).close();
  openLakeForReading(dataDir).close();
});

/** The error of another program that wants a database for itself alone. */
const takenElsewhere = (path: string): string => {
  const program = `const Database = require('better-sqlite3');
    const sqlite = new Database(process.argv[1], { timeout: 0 });
    sqlite.pragma('locking_mode = exclusive'); // else SQLite asks the journal's readers, too
    try { console.log(sqlite.pragma('journal_mode = delete', { simple: true })); }
    catch ({ code }) { console.log(code); }`;
  return execFileSync(process.execPath, ['-e', program, path], { encoding: 'utf8' }).trim();
};

test.each([
  ['in its thread', async (dataDir: string) => openLakeForReading(dataDir).close()],
  [
    'in another thread',
    async (dataDir: string) => {
      const program = `import(${JSON.stringify(OPEN)}).then(({ openLakeForReading }) =>
        openLakeForReading(${JSON.stringify(dataDir)}).close())`;
      await once(new Worker(program, { eval: true }), 'exit');
    },
  ],
])(
  'a lake that its process opens a second time %s stays held: no other program takes its journal away',
  async (_, openAgain) => {
    const lake = freshLake();
    await openAgain(lake.dataDir);
    expect(takenElsewhere(lake.path)).toBe('SQLITE_BUSY');
  },
);

describe('what is not a lake is refused, in words, and left as it is', () => {
  test('a SQLite database of another program', () => {
    const dataDir = freshFolder();
    const other = new Database(join(dataDir, LAKE_FILE));
    other.exec('create table notes (text)');
    other.close();
    expect(refusal(dataDir)).toMatch(/another program.*TRENDLAKE_DATA_DIR/);
  });
  test('an empty file', () => {
    const dataDir = freshFolder();
    writeFileSync(join(dataDir, LAKE_FILE), '');
    expect(refusal(dataDir)).toMatch(/is empty.*backup/);
  });
  test('a text file', () => {
    const dataDir = freshFolder();
    writeFileSync(join(dataDir, LAKE_FILE), 'groceries\n'.repeat(50));
    expect(refusal(dataDir)).toMatch(/not a SQLite database.*move it away/);
  });
  test.each([16, 99, 100, 2000])('a lake cut to %i bytes', (bytes) => {
    const dataDir = freshFolder();
    openLake(dataDir).close();
    truncateSync(join(dataDir, LAKE_FILE), bytes);
    expect(refusal(dataDir)).toMatch(/damaged|not a SQLite database/);
  });
  test('a lake of a newer trendlake', () => {
    const dataDir = freshFolder();
    const lake = openLake(dataDir);
    lake.sqlite.pragma('user_version = 999');
    lake.close();
    expect(refusal(dataDir)).toMatch(/newer trendlake \(schema 999.*Update trendlake/);
  });
});

test.runIf(process.platform === 'linux')(
  'a place that takes no folders is refused, not tried for ever',
  () => {
    expect(() => openLake('/proc/trendlake/data')).toThrow(/cannot be used: .*TRENDLAKE_DATA_DIR/);
  },
);

test('a file where the folder should be, a folder where the file should be', () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'data'), '');
  expect(() => openLake(join(folder, 'data'))).toThrow(/it is a file/);
  expect(() => openLake(join(folder, 'data', 'deeper'))).toThrow(/it is a file/);
  mkdirSync(join(folder, LAKE_FILE));
  expect(() => openLake(folder)).toThrow(/is not a file/);
});

// nobody, root included, may make a folder there
test.runIf(existsSync('/sys/kernel'))(
  'a folder that cannot be written names the setting',
  async () => {
    const { code, err } = await runCommand(['import', '.'], { dataDir: '/sys/kernel/trendlake' });
    expect(code).toBe(2);
    expect(err).toMatch(/\/sys\/kernel\/trendlake cannot be used: .*TRENDLAKE_DATA_DIR/);
  },
);

test('a journal without its database is refused: the lake it belongs to may lie elsewhere', () => {
  const dataDir = freshFolder();
  writeFileSync(join(dataDir, `${LAKE_FILE}-wal`), 'commits');
  expect(() => openLake(dataDir)).toThrow(
    /-wal exists without its database.*Move it.*or remove it to start a new lake/,
  );
  expect(readFileSync(join(dataDir, `${LAKE_FILE}-wal`), 'utf8')).toBe('commits');
});

test('an empty journal without its database holds no commit: a new lake is made', () => {
  const dataDir = freshFolder();
  writeFileSync(join(dataDir, `${LAKE_FILE}-wal`), '');
  openLake(dataDir).close();
  expect(readdirSync(dataDir)).toEqual(['locks', LAKE_FILE]);
});

test('a damaged page is met with words and exit code 1, not with a stack', async () => {
  const dataDir = freshFolder();
  const lake = openLake(dataDir);
  const insert = lake.sqlite.prepare(
    "insert into video (id, platform, title) values (?, 'tiktok', ?)",
  );
  lake.sqlite.transaction(() => {
    for (let i = 0; i < 500; i++) insert.run(`tt_${i}`, 'x'.repeat(200));
  })();
  const pageBytes = lake.sqlite.pragma('page_size', { simple: true }) as number;
  const root = lake.sqlite
    .prepare("select rootpage from sqlite_schema where name = 'video'")
    .pluck()
    .get() as number;
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  lake.close();
  const path = join(dataDir, LAKE_FILE);
  const bytes = readFileSync(path);
  bytes.fill(0xab, (root - 1) * pageBytes, root * pageBytes);
  writeFileSync(path, bytes);
  const { code, err } = await runCommand(['query', 'select count(title) from video'], { dataDir });
  expect(code).toBe(1);
  expect(err).toMatch(/is damaged.*trendlake -- doctor/);
  expect(err).not.toMatch(/ at /);
});

test('four processes that start on an empty folder at once make one lake', async () => {
  const dataDir = freshFolder();
  const script = `
    const { openLake } = await import(${JSON.stringify(OPEN)});
    const lake = openLake(process.argv[1]);
    lake.sqlite.prepare("insert into video (id, platform) values (?, 'tiktok')").run('tt_' + process.pid);
    lake.close();`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readdirSync(dataDir)).toEqual(['locks', LAKE_FILE]);
  const lake = freshLake(dataDir);
  expect(lake.sqlite.prepare('select count(*) from video').pluck().get()).toBe(4);
});

test('what is committed survives a power cut: every commit is synced', () => {
  const { sqlite } = freshLake();
  expect(sqlite.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(sqlite.pragma('synchronous', { simple: true })).toBe(2);
  expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1);
});
