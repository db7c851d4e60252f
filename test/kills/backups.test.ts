import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { LakeBuilder } from '../../fixtures/lake-builder.ts';
import { lakeRows } from '../../fixtures/lake-rows.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { openServiceDb } from '../../src/lake/keys/service-db.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import { FileStore } from '../../src/output/delta/file-store.ts';
import { packedBackups, unpackBackup } from '../../src/run/maintenance/packed-backup.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshFolder } from '../support/fresh.ts';
import { SEED } from '../support/seed.ts';
import { openTestLake } from '../support/test-lake.ts';

// Processes that make, restore and rewrite backups elsewhere are killed by SIGKILL at random instants.
// Every backup that is listed is whole, no lake is lost, and the next run ends as if nobody was killed.

const KILLS = Number(process.env.PROVE_BACKUP_KILLS ?? 3);
const NOW = Date.UTC(2100, 0, 1); // later than any file's time: what is left looks old
const CHILD = join(import.meta.dirname, 'command-child.ts');
const PAYLOAD = 'x'.repeat(300);

/** A lake of some megabytes with a key, and a backup of it; then both are changed. */
const makeOrigin = async () => {
  const [dataDir, to] = [freshFolder(), freshFolder()];
  const lake = openTestLake(dataDir);
  const builder = new LakeBuilder(lake);
  builder.video({ id: 'tt_1', title: 'kept', user: 'stayer', snapshots: [[NOW - HOUR_MS, 10]] });
  builder.video({ id: 'tt_2', title: 'gone', user: 'goer', snapshots: [[NOW - HOUR_MS, 10]] });
  lake.sqlite.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 30000)
    insert into video_snapshot (video_key, observed_at, views, rate_derived, source, extra)
    select 1 + i % 2, i, i, 1, 0, json_object('n', hex(randomblob(40)), 'x', '${PAYLOAD}') from n`);
  const service = openServiceDb(dataDir);
  service.exec("create table note (text); insert into note values ('backed up')");
  expect(await runChild({ dataDir, to }, NOW, ['backup'])).toBe(0);
  service.exec("update note set text = 'later'");
  service.close();
  lake.sqlite.exec("update video set title = 'later' where id = 'tt_1'");
  lake.close();
  return { dataDir, to };
};

/** Runs a command; with `killAfterMs` it dies so long after it began. @returns how it ended */
const runChild = async (
  { dataDir, to }: { dataDir: string; to: string },
  now: number,
  argv: readonly string[],
  killAfterMs?: number,
): Promise<string | number | null> => {
  const child = spawn(process.execPath, [CHILD, dataDir, String(now), to, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (killAfterMs !== undefined)
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), killAfterMs));
  else child.stdout.resume();
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? code;
};

const readOne = (path: string, sql: string): unknown => {
  const sqlite = new Database(path, { fileMustExist: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return sqlite.prepare(sql).pluck().get();
  } finally {
    sqlite.close();
  }
};
const TITLE = "select title from video where id = 'tt_1'";
const GONE = "select count(*) from video where id = 'tt_2'";

/** Unpacks every listed backup. @returns a value of each */
const valuesOf = async (to: string, sql: string): Promise<unknown[]> => {
  const store = new FileStore(to);
  const values: unknown[] = [];
  for (const { name } of await packedBackups(store)) {
    const unpacked = await unpackBackup(store, name, freshFolder());
    values.push(readOne(unpacked.lake, sql));
    expect(readOne(unpacked.service ?? '', 'select text from note')).toMatch(/backed up|later/);
  }
  return values;
};

const rowsOf = (dataDir: string): unknown => {
  const lake = openLake(dataDir);
  try {
    return lakeRows(lake);
  } finally {
    lake.close();
  }
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

const remainsOf = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'backups')).filter((name) => !/^trendlake-[\d-]{10}\.db$/.test(name));

interface Killed {
  readonly argv: readonly string[];
  /** A run takes about so long. */
  readonly longestMs: number;
  readonly checkKilled: (dataDir: string, to: string) => Promise<void>;
  readonly checkEnded: (dataDir: string, to: string) => Promise<void>;
}

const WORKS: Record<string, Killed> = {
  backup: {
    argv: ['backup'],
    longestMs: 700,
    checkKilled: async (_, to) => expect(await valuesOf(to, TITLE)).not.toEqual([]),
    checkEnded: async (dataDir, to) => {
      expect((await valuesOf(to, TITLE)).at(-1)).toBe('later');
      const names = (await packedBackups(new FileStore(to))).map(({ name }) => name);
      expect(new Set(filesIn(to).map((path) => path.split('/')[1]))).toEqual(new Set(names));
      expect(remainsOf(dataDir)).toEqual([]);
    },
  },
  restore: {
    argv: ['restore', 'latest', '--yes'],
    longestMs: 1200,
    checkKilled: async (dataDir) => {
      const lakes = readdirSync(dataDir).filter((name) =>
        /^trendlake\.db(\.before-[\w-]+)?$/.test(name),
      );
      expect(lakes.map((name) => readOne(join(dataDir, name), TITLE))).toContain('later');
    },
    checkEnded: async (dataDir) => {
      expect(readOne(join(dataDir, LAKE_FILE), TITLE)).toBe('kept');
      expect(readOne(join(dataDir, 'service.db'), 'select text from note')).toBe('backed up');
      expect(existsSync(join(dataDir, 'parquet', 'manifest.json'))).toBe(true);
      expect(remainsOf(dataDir)).toEqual([]);
    },
  },
  'forget --rewrite-backups': {
    argv: ['forget', 'tt_2', '--yes', '--rewrite-backups'],
    longestMs: 1500,
    checkKilled: async (_, to) => expect(await valuesOf(to, TITLE)).not.toEqual([]),
    checkEnded: async (dataDir, to) => {
      expect(await valuesOf(to, GONE)).toEqual([0]);
      const copies = readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.db'));
      for (const name of copies) expect(readOne(join(dataDir, 'backups', name), GONE)).toBe(0);
      expect(remainsOf(dataDir)).toEqual([]);
    },
  },
};

test.each(Object.entries(WORKS))(
  `${KILLS} kills of %s at random instants`,
  async (_, { argv, longestMs, checkKilled, checkEnded }) => {
    const random = new RandomStream(SEED);
    const origin = await makeOrigin();
    const copy = () => {
      const [dataDir, to] = [freshFolder(), freshFolder()];
      cpSync(origin.dataDir, dataDir, { recursive: true });
      cpSync(origin.to, to, { recursive: true });
      return { dataDir, to };
    };
    const clean = copy();
    expect(await runChild(clean, NOW + HOUR_MS, argv)).toBe(0);
    await checkEnded(clean.dataDir, clean.to);
    const wanted = rowsOf(clean.dataDir);
    let kills = 0;
    while (kills < KILLS) {
      const killed = copy();
      const { dataDir, to } = killed;
      let now = NOW + HOUR_MS;
      for (let tried = 0; tried < 3 && kills < KILLS; tried++) {
        const ended = await runChild(killed, now, argv, random.next() * longestMs);
        if (ended === 'SIGKILL') kills += 1;
        else expect(ended).toBe(0);
        await checkKilled(dataDir, to);
        now += HOUR_MS;
      }
      expect(await runChild(killed, now, argv)).toBe(0);
      await checkEnded(dataDir, to);
      expect(rowsOf(dataDir)).toEqual(wanted);
    }
  },
  4 * 3_600_000,
);
