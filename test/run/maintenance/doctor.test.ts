import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { putReleasedLake } from '../../../fixtures/released-lake.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { virtualClock } from '../../../src/base/clock.ts';
import { backupsIn } from '../../../src/base/data-dir/backups.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { dateOf } from '../../../src/base/iso.ts';
import { SCHEMA_VERSION } from '../../../src/lake/migrate.ts';
import { LAKE_FILE, openLake, openLakeForReading } from '../../../src/lake/open.ts';
import { markTouched } from '../../../src/lake/touched-partitions.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { manifestTotals } from '../../../src/output/parquet/manifest.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { examine } from '../../../src/run/maintenance/doctor.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { syncOnce } from '../../support/sync-once.ts';

interface Report {
  ok: boolean;
  findings: { check: string; ok: boolean; detail: string; advice: string | null }[];
}

const keep = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-kept-'));
  const upstream = await startFaultyUpstream();
  const { rows } = await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  const clock = virtualClock(WORLD_AT);
  const lake = openLake(dataDir);
  await exportLake(lake, { clock });
  await backupLake(lake, { clock });
  lake.close();
  return { dataDir, rows };
};
let well: ReturnType<typeof keep> | undefined;

/** A synced, exported lake with a backup: a copy of one. */
const kept = async () => {
  well ??= keep();
  const { dataDir: from, rows } = await well;
  const dataDir = freshFolder();
  cpSync(from, dataDir, { recursive: true, preserveTimestamps: true });
  return { dataDir, rows, clock: virtualClock(WORLD_AT) };
};

const doctor = async (dataDir: string, env: NodeJS.ProcessEnv = {}) => {
  const { code, out } = await runCommand(['doctor', '--json'], { dataDir, env });
  const report = JSON.parse(out) as Report;
  expect(code).toBe(report.ok ? 0 : 1);
  return { ...report, bad: report.findings.filter((finding) => !finding.ok) };
};

/** Writes garbage over the first page of a table. */
const damage = (dataDir: string, table: string): void => {
  const lake = openLake(dataDir);
  const pageBytes = lake.sqlite.pragma('page_size', { simple: true }) as number;
  const find = lake.sqlite.prepare('select rootpage from sqlite_schema where name = ?').pluck();
  const root = find.get(table) as number;
  lake.sqlite.pragma('wal_checkpoint(truncate)');
  lake.close();
  const path = join(dataDir, LAKE_FILE);
  const bytes = readFileSync(path);
  bytes.fill(0xab, (root - 1) * pageBytes, root * pageBytes);
  writeFileSync(path, bytes);
};

test('a healthy lake passes every check', async () => {
  const { dataDir } = await kept();
  expect((await doctor(dataDir)).bad).toEqual([]);
  const { out } = await runCommand(['doctor'], { dataDir });
  expect(out).toMatch(/^ok {3}database +whole$/m);
  expect(out).toMatch(/^ok {3}Parquet +\d+ files agree with the manifest$/m);
});

test('a folder without a lake passes every check', async () => {
  expect((await doctor(freshFolder())).ok).toBe(true);
});

test('finds a damaged page, and --restore brings back the backup', async () => {
  const { dataDir, rows } = await kept();
  damage(dataDir, 'video_snapshot');
  const { bad } = await doctor(dataDir);
  expect(bad[0]).toMatchObject({ check: 'database', advice: expect.stringMatching(/--restore/) });
  const restored = await runCommand(['doctor', '--restore', '--json'], { dataDir });
  expect(restored.code).toBe(0);
  const { setAside } = JSON.parse(restored.out) as { setAside: string };
  expect(readdirSync(dataDir)).toContain(setAside.slice(dataDir.length + 1));
  const lake = openLake(dataDir);
  expect(lakeRows(lake)).toEqual(rows);
  lake.close();
  expect((await doctor(dataDir)).bad).toMatchObject([
    { check: 'Parquet', detail: 'the files were exported before the lake was restored' },
  ]);
  expect((await runCommand(['export'], { dataDir })).code).toBe(0);
  expect((await doctor(dataDir)).bad).toEqual([]);
});

/** Adds a snapshot to the lake as a load does, after the backup was made. */
const addSnapshot = (dataDir: string): void => {
  const lake = openLake(dataDir);
  lake.sqlite.exec(`insert into video_snapshot (video_key, observed_at, views, source, rate_derived)
    select key, ${WORLD_AT + DAY_MS}, 77, 1, 0 from video limit 1`);
  markTouched(lake, 'video_snapshots', dateOf(WORLD_AT + DAY_MS));
  lake.close();
};

const exportedRows = (dataDir: string, table: string): number =>
  (manifestTotals(join(dataDir, 'parquet'))?.files ?? [])
    .filter((file) => file.table === table)
    .reduce((sum, { rows }) => sum + rows, 0);

test('exports the restored lake after a restore', async () => {
  const { dataDir, clock } = await kept();
  const before = exportedRows(dataDir, 'video_snapshots');
  addSnapshot(dataDir);
  const lake = openLake(dataDir);
  await exportLake(lake, { clock });
  lake.close();
  expect(exportedRows(dataDir, 'video_snapshots')).toBe(before + 1);
  await restoreLake(dataDir, undefined, clock);
  const restored = openLake(dataDir);
  await exportLake(restored, { clock });
  const again = await exportLake(restored, { clock });
  restored.close();
  expect(exportedRows(dataDir, 'video_snapshots')).toBe(before);
  expect(again.files).toBe(0);
});

test('does not overwrite the exported files of another lake', async () => {
  const [mine, other] = [await kept(), freshLake()];
  cpSync(join(mine.dataDir, 'parquet'), join(other.dataDir, 'parquet'), { recursive: true });
  const files = exportedRows(other.dataDir, 'videos');
  await expect(exportLake(other, { clock: mine.clock })).rejects.toThrow(
    /holds the Parquet files of another lake/,
  );
  expect(exportedRows(other.dataDir, 'videos')).toBe(files);
  expect((await doctor(other.dataDir)).bad).toMatchObject([
    { check: 'Parquet', detail: 'the files were exported from another lake' },
  ]);
});

const PAGE_BYTES = 4096;
const TABLE_LEAF = 0x0d;

/** Overwrites the cell pointers of a table's last leaf. */
const withoutCells = (bytes: Buffer): Buffer => {
  const pages = Array.from({ length: bytes.length / PAGE_BYTES }, (_, n) => n * PAGE_BYTES);
  const leaf = pages.findLast((at) => bytes[at] === TABLE_LEAF && bytes.readUInt16BE(at + 3) > 4);
  if (leaf === undefined) throw new Error('no table has a leaf of its own');
  return Buffer.from(bytes).fill(0xff, leaf + 8, leaf + 16);
};

/** Kind of damage, exit code of `sync`, and the change to the file's bytes. */
const DAMAGES: [string, number, (bytes: Buffer) => Buffer][] = [
  ['the file header', 2, (bytes) => Buffer.from(bytes).fill(0x20, 0, 16)],
  ['the first page behind the header', 1, (bytes) => Buffer.from(bytes).fill(0xab, 100, 4096)],
  ['the cells of a page', 1, withoutCells],
  ['every page but the first', 1, (bytes) => Buffer.from(bytes).fill(0, 4096)],
  ['cut to half', 1, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ['an empty file', 2, () => Buffer.alloc(0)],
];

test.each(DAMAGES)(
  'damage (%s) is found; sync says so and stops with exit code %i; the backup restores it',
  async (_, exitCode, harm) => {
    const { dataDir, rows } = await kept();
    const path = join(dataDir, LAKE_FILE);
    writeFileSync(path, harm(readFileSync(path)));
    const { bad } = await doctor(dataDir);
    expect(bad[0]).toMatchObject({ check: 'database', advice: expect.stringMatching(/--restore/) });
    const upstream = await startFaultyUpstream();
    const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: 'tl_live_secret' };
    const { code, err } = await runCommand(['sync', '--no-export'], { dataDir, env });
    expect(code).toBe(exitCode);
    expect(err).toMatch(/(damaged|not a SQLite database|is empty).*trendlake -- doctor --restore/);
    expect(upstream.arrivals.length).toBeLessThan(10); // a run of lists alone makes 26
    await upstream.close();
    expect((await runCommand(['doctor', '--restore'], { dataDir })).code).toBe(0);
    const lake = openLake(dataDir);
    expect(lakeRows(lake)).toEqual(rows);
    lake.close();
    expect((await doctor(dataDir)).bad.map(({ check }) => check)).toEqual(['Parquet']);
    expect((await runCommand(['export'], { dataDir })).code).toBe(0);
    expect((await doctor(dataDir)).bad).toEqual([]);
  },
);

test('advises to migrate an older lake, not to restore a backup', async () => {
  const { dataDir } = await kept();
  const sqlite = new Database(join(dataDir, LAKE_FILE));
  sqlite.pragma(`user_version = ${SCHEMA_VERSION - 1}`);
  sqlite.close();
  const { bad } = await doctor(dataDir);
  expect(bad).toMatchObject([{ check: 'database', advice: null }]);
  expect(bad[0]?.detail).toMatch(/older schema.*once to migrate it/);
});

test('a run after a restore counts its own calls, not those carried over', async () => {
  const { dataDir, clock } = await kept();
  const upstream = await startFaultyUpstream();
  const lost = await syncOnce(dataDir, upstream.baseUrl);
  await restoreLake(dataDir, undefined, clock);
  const before = upstream.arrivals.length;
  const { summary } = await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  expect(summary.calls.sent).toBe(upstream.arrivals.length - before);
  expect(summary.runId).toBeGreaterThan(lost.summary.runId);
});

test('keeps counting calls made since the backup after a restore', async () => {
  const { dataDir, clock } = await kept();
  const upstream = await startFaultyUpstream();
  const { ledger } = await syncOnce(dataDir, upstream.baseUrl);
  await upstream.close();
  expect(await restoreLake(dataDir, undefined, clock)).toMatchObject({ callsCarried: ledger - 16 });
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(1); // nothing but the backup
  const lake = openLake(dataDir);
  expect(countOf(lake, 'select count(*) from calls')).toBe(ledger);
  lake.close();
});

test('migrates a backup of 0.1.0 and keeps counting newer calls', async () => {
  const dataDir = freshFolder();
  putReleasedLake(dataDir);
  const backup = join(freshFolder(), 'nightly.db');
  renameSync(join(dataDir, LAKE_FILE), backup);
  cpSync(backup, join(dataDir, LAKE_FILE));
  const lake = openLake(dataDir);
  lake.sqlite.exec(`insert into calls (job, request, sent_at, sender, sent, key) values
    ('feed', '/feed', ${WORLD_AT}, 'x', 1, 'second'), ('feed', '/feed', ${WORLD_AT}, 'x', 0, null)`);
  const CALLS = 'select * from calls order by id';
  const calls = lake.sqlite.prepare(CALLS).all();
  lake.close();
  const { callsCarried } = await restoreLake(dataDir, backup, virtualClock(WORLD_AT));
  expect(callsCarried).toBe(2);
  const restored = openLakeForReading(dataDir);
  expect(restored.sqlite.prepare(CALLS).all()).toEqual(calls);
  restored.close();
});

test('restores a lake set aside with the commits of its journal', async () => {
  const { dataDir, clock } = await kept();
  const lake = openLake(dataDir);
  lake.sqlite.exec("insert into video (id, platform) values ('tt_newest', 'tiktok')");
  const { setAside } = await restoreLake(dataDir, undefined, clock);
  const again = await restoreLake(dataDir, setAside ?? '', clock);
  lake.close();
  expect(again.setAside).not.toBe(setAside); // also where the clock stands still or was set back
  const restored = openLake(dataDir);
  const newest = "select count(*) from video where id = 'tt_newest'";
  expect(countOf(restored, newest)).toBe(1);
  restored.close();
});

test('refuses to restore while newer calls cannot be read', async () => {
  const { dataDir, clock } = await kept();
  const path = join(dataDir, LAKE_FILE);
  const other = new Database(path);
  other.pragma('locking_mode = exclusive');
  other.exec("update video set title = 'held'");
  await expect(restoreLake(dataDir, undefined, clock, 50)).rejects.toThrow(
    /locked by another program/,
  );
  other.close();
  expect(readdirSync(dataDir).filter((name) => /before|restored|new-/.test(name))).toEqual([]);
});

test('refuses a file that is not a backup and changes nothing', async () => {
  const { dataDir } = await kept();
  const before = readFileSync(join(dataDir, LAKE_FILE));
  const text = join(dataDir, 'notes.txt');
  writeFileSync(text, 'no database');
  for (const file of [text, join(dataDir, 'missing.db')]) {
    const { code, err } = await runCommand(['doctor', '--restore', file], { dataDir });
    expect(code).toBe(2);
    expect(err).toMatch(/cannot be restored: .*Nothing was changed/);
  }
  expect(readFileSync(join(dataDir, LAKE_FILE))).toEqual(before);
  const none = await runCommand(['doctor', '--restore'], { dataDir: freshFolder() });
  expect(none.code).toBe(2);
});

test('finds a Parquet file that changed or is missing', async () => {
  const { dataDir } = await kept();
  const path = join(dataDir, 'parquet', 'videos', 'videos.parquet');
  const bytes = readFileSync(path);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect((await doctor(dataDir)).bad).toMatchObject([
    {
      check: 'Parquet',
      detail: expect.stringContaining(path),
      advice: expect.stringMatching(/--full/),
    },
  ]);
  writeFileSync(join(dataDir, 'parquet', 'manifest.json'), '{');
  expect((await doctor(dataDir)).bad).toMatchObject([{ check: 'Parquet' }]);
});

test('removes leftovers of a restore beside a lake, and advises if the lake is missing', async () => {
  const { dataDir } = await kept();
  const restored = join(dataDir, `${LAKE_FILE}.restored`);
  writeFileSync(restored, 'a copy');
  expect((await doctor(dataDir)).bad).toEqual([]);
  expect(readdirSync(dataDir)).not.toContain(`${LAKE_FILE}.restored`);

  renameSync(join(dataDir, LAKE_FILE), restored);
  expect((await doctor(dataDir)).bad).toMatchObject([
    { check: 'leftovers', advice: expect.stringMatching(/--restore.*again/) },
  ]);
  expect(() => openLakeForReading(dataDir)).toThrow(/restore was interrupted.*--restore/);
});

test('finds rows without parents and search entries without videos', async () => {
  const { dataDir } = await kept();
  const lake = openLake(dataDir);
  lake.sqlite.pragma('foreign_keys = off');
  lake.sqlite.exec("delete from video where id = 'tt_0'; delete from search_pending");
  lake.close();
  const checks = (await doctor(dataDir)).bad.map(({ check }) => check);
  expect(checks).toContain('references');
});

test('finds and rebuilds a search index that lacks videos', async () => {
  const { dataDir } = await kept();
  const lake = openLake(dataDir);
  lake.sqlite.exec("insert into search (search) values ('delete-all')");
  lake.close();
  expect((await doctor(dataDir)).bad).toMatchObject([
    { check: 'search index', advice: expect.stringMatching(/--rebuild-search/) },
  ]);
  const { out } = await runCommand(['doctor', '--rebuild-search', '--json'], { dataDir });
  expect(JSON.parse(out)).toEqual({ videos: 240 });
  expect((await doctor(dataDir)).ok).toBe(true);
});

test('rebuilds a damaged search index without restoring a backup', async () => {
  const { dataDir } = await kept();
  const lake = openLake(dataDir);
  lake.sqlite.unsafeMode(true); // SQLite guards the index's own tables
  lake.sqlite.exec("update search_data set block = x'00' where id > 10");
  lake.close();
  expect((await doctor(dataDir)).bad).toMatchObject([
    { check: 'search index', advice: expect.stringMatching(/--rebuild-search/) },
  ]);
});

test('reports each check when it is done, before the next starts', async () => {
  const { dataDir, clock } = await kept();
  const told: string[] = [];
  const noted = (check: string) => void told.push(`${check} begins`);
  for await (const { check } of examine({ dataDir }, clock, noted)) told.push(check);
  expect(told.slice(2, 6)).toEqual([
    'database begins',
    'database',
    'references begins',
    'references',
  ]);
});

test('reaches the service without a call and finds a missing key or a dead address', async () => {
  const upstream = await startFaultyUpstream();
  const dataDir = freshFolder();
  const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: 'tl_live_secret' };
  expect((await doctor(dataDir, env)).ok).toBe(true);
  expect(upstream.arrivals).toEqual([]);
  expect((await doctor(dataDir, { ...env, TRENDLAKE_API_KEY: '' })).bad[0]?.check).toBe('service');
  await upstream.close();
  const { bad } = await doctor(dataDir, env);
  expect(bad[0]?.detail).toMatch(/cannot be reached/);
  expect(JSON.stringify(bad)).not.toContain('secret');
});

test('keeps seven valid backups and reports when the newest is old', async () => {
  const { dataDir } = await kept();
  const clock = virtualClock(WORLD_AT);
  const lake = openLake(dataDir);
  for (let day = 1; day <= 9; day++) {
    clock.advanceTo(WORLD_AT + day * DAY_MS);
    await backupLake(lake, { clock });
  }
  lake.close();
  const backups = backupsIn(dataDir);
  expect(backups.map(({ path }) => path.slice(-13))).toEqual(
    [4, 5, 6, 7, 8, 9, 10]
      .map((day) => `2026-03-${String(day).padStart(2, '0')}.db`)
      .map((name) => name.slice(-13)),
  );
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(7);
});

test('stops a backup on its signal and leaves no file', async () => {
  const { dataDir } = await kept();
  const clock = virtualClock(WORLD_AT + 5 * DAY_MS);
  const before = readdirSync(join(dataDir, 'backups'));
  const lake = openLake(dataDir);
  const signal = AbortSignal.abort(new Error('stopped by SIGTERM'));
  await expect(backupLake(lake, { clock, signal })).rejects.toThrow('stopped by SIGTERM');
  lake.close();
  const { code, err } = await runCommand(['doctor', '--backup'], { dataDir, clock, signal });
  expect([code, err]).toEqual([75, expect.stringMatching(/stopped by SIGTERM/)]);
  expect(readdirSync(join(dataDir, 'backups'))).toEqual(before);
});

test('removes unfinished files of another day with the next backup', async () => {
  const { dataDir } = await kept();
  const backups = join(dataDir, 'backups');
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    writeFileSync(join(backups, `trendlake-2025-12-31.db.new${suffix}`), 'a part');
  writeFileSync(join(backups, 'trendlake-2025-12-31.db.new.mine'), 'somebody else’s');
  const lake = openLake(dataDir);
  await backupLake(lake, { clock: virtualClock(WORLD_AT + 6 * DAY_MS) });
  lake.close();
  const left = readdirSync(backups).filter((name) => !/^trendlake-2026-\d\d-\d\d\.db$/.test(name));
  expect(left).toEqual(['trendlake-2025-12-31.db.new.mine']);
});

test('checks a copy in a child process that a signal ends', async () => {
  const { dataDir } = await kept();
  const lake = openLake(dataDir);
  const before = readdirSync(join(dataDir, 'backups'));
  const clock = virtualClock(WORLD_AT + 5 * DAY_MS);
  const stopping = new AbortController();
  const stopOnceChecked = (): void => {
    if (process.getActiveResourcesInfo().includes('ProcessWrap'))
      stopping.abort(new Error('stopped by SIGTERM'));
    else waiting = setImmediate(stopOnceChecked);
  };
  let waiting = setImmediate(stopOnceChecked);
  const stopped = backupLake(lake, { clock, signal: stopping.signal });
  await expect(stopped).rejects.toThrow('stopped by SIGTERM');
  clearImmediate(waiting);
  expect(readdirSync(join(dataDir, 'backups'))).toEqual(before);
  expect(existsSync((await backupLake(lake, { clock })).path)).toBe(true);
  lake.close();
  damage(dataDir, 'video');
  const damaged = openLake(dataDir);
  await expect(backupLake(damaged, { clock })).rejects.toThrow(/is damaged: it is damaged/);
  damaged.close();
});

test('stops before the check if the signal arrives with the last pages', async () => {
  const lake = freshLake();
  const stopping = new AbortController();
  const { signal } = stopping;
  signal.throwIfAborted = () => {
    if (signal.aborted) throw signal.reason;
    queueMicrotask(() => stopping.abort(new Error('stopped by SIGTERM')));
  };
  const stopped = backupLake(lake, { clock: virtualClock(WORLD_AT), signal });
  await expect(stopped).rejects.toThrow('stopped by SIGTERM');
});

test('backs up the lake as of its start while another process keeps writing', async () => {
  const lake = freshLake();
  lake.sqlite.exec(`create table filler (text text); insert into filler
    select hex(randomblob(4000)) from (with recursive n(i) as
      (select 1 union all select i + 1 from n where i < 2000) select i from n)`);
  const other = new Database(lake.path);
  const { signal } = new AbortController();
  let turns = 0;
  signal.throwIfAborted = () => {
    turns += 1;
    if (turns > 50) throw new Error('it begins anew for ever');
    other.exec("insert into filler values ('written meanwhile')");
  };
  const clock = virtualClock(WORLD_AT);
  const { path } = await backupLake(lake, { clock, signal });
  expect(turns).toBeGreaterThan(2);
  lake.sqlite.exec("insert into filler values ('this one writes on')");
  for (const open of [other, lake]) open.close();
  const copy = new Database(path);
  expect(copy.prepare('select count(*) from filler').pluck().get()).toBe(2000);
  copy.close();
});

test('keeps backups when the clock was set ahead, and doctor reports the future one', async () => {
  const { dataDir } = await kept();
  const lake = openLake(dataDir);
  for (let day = 7; day >= 0; day--)
    await backupLake(lake, { clock: virtualClock(WORLD_AT + (365 + day) * DAY_MS) });
  const { path } = await backupLake(lake, { clock: virtualClock(WORLD_AT) });
  lake.close();
  expect(backupsIn(dataDir).map((backup) => backup.path)).toContain(path);
  expect(backupsIn(dataDir)).toHaveLength(7);
  expect((await doctor(dataDir)).bad).toMatchObject([
    { check: 'backup', detail: expect.stringMatching(/2027-03-0\d.*has a date in the future/) },
  ]);
});

test('makes one of two simultaneous backups and asks the other to retry later', async () => {
  const { dataDir, clock } = await kept();
  const lake = freshLake(dataDir);
  const made = backupLake(lake, { clock });
  await expect(backupLake(lake, { clock })).rejects.toMatchObject({
    message: expect.stringMatching(/^Another backup is at work/),
    transient: true,
  });
  expect(await made).toEqual(backupsIn(dataDir)[0]);
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(1);
});

test.runIf(process.platform === 'linux').each([
  ['a file', (path: string) => writeFileSync(path, ''), /could not be written: EEXIST/],
  // not even root may create a file there
  ['a folder that takes no files', (path: string) => symlinkSync('/proc', path), /write access/],
])('explains a backup folder that is %s', async (_, lay, words) => {
  const lake = freshLake();
  lay(join(lake.dataDir, 'backups'));
  const { code, err } = await runCommand(['doctor', '--backup'], { dataDir: lake.dataDir });
  expect([1, 2]).toContain(code);
  expect(err).toMatch(/^trendlake: The backup of .*trendlake\.db /);
  expect(err).toMatch(words);
});
