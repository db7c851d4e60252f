import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { countOf, lakeRows } from '../../../fixtures/lake-rows.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { LAKE_FILE, openLakeForReading } from '../../../src/lake/open.ts';
import { BIN } from '../../support/cli-bin.ts';
import { freshFolder, freshLake } from '../../support/fresh.ts';
import { expectWhole } from '../../support/lake-invariants.ts';
import { runCommand } from '../../support/run-command.ts';
import { CONCURRENCY, KEY, type SyncResult, syncOnce } from '../../support/sync-once.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

let clean: SyncResult;
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  clean = await syncOnce(freshFolder(), upstream.baseUrl);
  await upstream.close();
});

describe('a full disk', () => {
  test.each([2, 6, 11, 15])(
    '%i pages left: no call after those in flight, nothing half, and it goes on',
    async (pages) => {
      const upstream = await startFaultyUpstream();
      const lake = freshLake();
      const used = lake.sqlite.pragma('page_count', { simple: true }) as number;
      lake.sqlite.pragma(`max_page_count = ${used + pages}`);
      await expect(syncOnce(lake.dataDir, upstream.baseUrl, { lake })).rejects.toMatchObject({
        code: 'SQLITE_FULL',
      });
      const loaded = countOf(lake, 'select count(*) from calls where status = 200');
      expect(upstream.arrivals.length - loaded).toBeLessThanOrEqual(CONCURRENCY);
      expectWhole(lake.dataDir, {
        arrivals: upstream.arrivals,
        kills: 1,
        concurrency: CONCURRENCY,
      });
      lake.sqlite.pragma(`max_page_count = ${2 ** 30}`);
      const { summary, rows } = await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
      expect(summary.outcome).toBe('complete');
      expect(rows).toEqual(clean.rows);
      await upstream.close();
    },
  );

  test('explains the error and the next step', async () => {
    const upstream = await startFaultyUpstream();
    const dataDir = freshFolder();
    const env = {
      PATH: process.env.PATH,
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
    };
    // no file of the process may grow past 600 KB
    const child = spawn(
      'sh',
      ['-c', `ulimit -f 1200; exec "$0" "$@"`, process.execPath, BIN, 'sync'],
      { env },
    );
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += String(chunk);
    });
    const [code] = await once(child, 'exit');
    await upstream.close();
    expect(code).toBe(1);
    expect(err).toMatch(/cannot be written.*What was committed before is whole/);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

test('explains that another program holds the lock, without a call', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  lake.sqlite.pragma('busy_timeout = 50');
  const other = new Database(lake.path);
  other.exec('begin immediate');
  await expect(syncOnce(lake.dataDir, upstream.baseUrl, { lake })).rejects.toMatchObject({
    code: 'SQLITE_BUSY',
  });
  expect(upstream.arrivals).toEqual([]);
  other.exec('commit');
  other.close();
  expect((await syncOnce(lake.dataDir, upstream.baseUrl, { lake })).rows).toEqual(clean.rows);
  await upstream.close();
});

test('stops with an error when a lock is taken during a run, and resumes later', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  lake.sqlite.pragma('busy_timeout = 50');
  const other = new Database(lake.path);
  let lockedAt = 0;
  const onProgress = (): void => {
    if (lockedAt > 0 || upstream.arrivals.length < 5) return;
    other.exec('begin immediate');
    lockedAt = upstream.arrivals.length;
  };
  await expect(
    syncOnce(lake.dataDir, upstream.baseUrl, { lake, onProgress }),
  ).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  expect(upstream.arrivals.length - lockedAt).toBeLessThanOrEqual(CONCURRENCY);
  other.exec('rollback');
  other.close();
  const { summary, rows } = await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
  expect(summary.outcome).toBe('complete');
  expect(rows).toEqual(clean.rows);
  await upstream.close();
});

test('waits for a lock that is released', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  // what it waits by itself is long; here it may take a busy machine
  expect(lake.sqlite.pragma('busy_timeout', { simple: true })).toBeGreaterThanOrEqual(10_000);
  lake.sqlite.pragma('busy_timeout = 200000');
  const script = `
    const db = new (require('better-sqlite3'))(process.argv[1]);
    db.exec('begin immediate');
    process.stdout.write('held');
    setTimeout(() => { db.exec('commit'); db.close(); }, 300);`;
  const holder = spawn(process.execPath, ['-e', script, lake.path], { cwd: ROOT });
  const gone = once(holder, 'exit');
  await once(holder.stdout, 'data');
  const { summary, rows } = await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
  expect(summary.outcome).toBe('complete');
  expect(rows).toEqual(clean.rows);
  expect((await gone)[0]).toBe(0);
  await upstream.close();
});

/** Starts a program as root without root's right to pass by modes and owners. */
const AS_OWNER_ONLY = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'];

test.runIf(process.platform === 'linux')(
  'a data directory that became read-only: an error in words, exit code 2, no call spent',
  async () => {
    const upstream = await startFaultyUpstream();
    const dataDir = freshFolder();
    await syncOnce(dataDir, upstream.baseUrl);
    const before = readFileSync(join(dataDir, LAKE_FILE));
    const asked = upstream.arrivals.length;
    for (const [path, mode] of [
      [join(dataDir, LAKE_FILE), 0o444],
      [dataDir, 0o555],
    ] as const)
      chmodSync(path, mode);
    // root may write anywhere unless that right is dropped; another user might not reach this checkout
    const env = {
      PATH: process.env.PATH,
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
    };
    const run = async (command: string) => {
      const node = [process.execPath, BIN, command];
      const [program = '', ...args] = process.getuid?.() === 0 ? [...AS_OWNER_ONLY, ...node] : node;
      const child = spawn(program, args, { env, cwd: '/' });
      const [out, err] = [text(child.stdout), text(child.stderr)];
      const [code] = await once(child, 'exit');
      return { code, out: await out, err: await err };
    };
    const { code, err } = await run('sync');
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/not writable/) });
    expect(err).toMatch(/TRENDLAKE_DATA_DIR/);
    expect(upstream.arrivals.length).toBe(asked);
    const checked = await run('doctor');
    expect(checked).toMatchObject({ code: 1, out: expect.stringMatching(/^BAD .*writ/m) });
    expect(checked.out).not.toContain('--restore'); // nothing is damaged
    expect(readFileSync(join(dataDir, LAKE_FILE))).toEqual(before);
    chmodSync(dataDir, 0o755);
    await upstream.close();
  },
);

describe('a power cut leaves the commits whose bytes reached the disk', () => {
  /** The files of a lake in the middle of a run, its newest pages in the log alone. */
  const cutOff = async (dataDir: string): Promise<Buffer> => {
    const upstream = await startFaultyUpstream();
    const lake = freshLake();
    let wal = Buffer.alloc(0);
    const onProgress = (): void => {
      if (upstream.arrivals.length < 12 || wal.length > 0) return;
      copyFileSync(lake.path, join(dataDir, LAKE_FILE));
      wal = readFileSync(`${lake.path}-wal`);
    };
    await syncOnce(lake.dataDir, upstream.baseUrl, { lake, onProgress });
    await upstream.close();
    expect(wal.length).toBeGreaterThan(100_000);
    return wal;
  };
  const anything = { arrivals: [], kills: Number.POSITIVE_INFINITY, concurrency: 1 };

  test.each<[string, (wal: Buffer) => Buffer | undefined]>([
    ['the log is gone', () => undefined],
    ['the log is empty', () => Buffer.alloc(0)],
    ['the log is cut inside its header', (wal) => wal.subarray(0, 20)],
    ['the log is cut inside a page', (wal) => wal.subarray(0, Math.floor(wal.length / 2))],
    ['the log lacks its last page', (wal) => wal.subarray(0, wal.length - 4096)],
    [
      'the log ends in another file’s bytes',
      (wal) => Buffer.from(wal).fill(0xab, wal.length - 9000),
    ],
    ['the log has zeros in its middle', (wal) => Buffer.from(wal).fill(0, 50_000, 60_000)],
  ])('%s: an earlier commit, whole, and the next sync makes up for it', async (_, cut) => {
    const dataDir = freshFolder();
    const left = cut(await cutOff(dataDir));
    if (left !== undefined) writeFileSync(join(dataDir, `${LAKE_FILE}-wal`), left);
    expectWhole(dataDir, anything);
    const upstream = await startFaultyUpstream();
    const { summary, rows } = await syncOnce(dataDir, upstream.baseUrl);
    expect(summary.outcome).toBe('complete');
    expect(rows).toEqual(clean.rows);
    await upstream.close();
  });
});

test('a long read sees one instant and neither blocks nor is blocked', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  const analyst = openLakeForReading(lake.dataDir);
  analyst.sqlite.exec('begin');
  const videos = 'select count(*) from videos';
  expect(countOf(analyst, videos)).toBe(0);
  const { summary } = await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
  expect(summary.outcome).toBe('complete');
  expect(countOf(analyst, videos)).toBe(0);
  analyst.sqlite.exec('commit');
  expect(countOf(analyst, videos)).toBe(240);
  analyst.close();
  await upstream.close();
});

/** A virtual clock whose wall time is set to another at its n-th reading; the monotonic one goes on. */
const steppedClock = (atReading: number, byMs: number): Clock => {
  const inner = virtualClock(WORLD_AT);
  let readings = 0;
  return {
    now: () => {
      readings += 1;
      return inner.now() + (readings > atReading ? byMs : 0);
    },
    monotonic: () => inner.monotonic(),
    sleep: (ms, signal) => inner.sleep(ms, signal),
  };
};

test.each([
  ['two hours back', -2 * HOUR_MS],
  ['two hours ahead', 2 * HOUR_MS],
  ['over the edge of a month', 31 * 24 * HOUR_MS],
])('a clock set %s in the middle of a run changes nothing of what is kept', async (_, byMs) => {
  const upstream = await startFaultyUpstream();
  const result = await syncOnce(freshFolder(), upstream.baseUrl, { clock: steppedClock(40, byMs) });
  expect(result.summary.outcome).toBe('complete');
  expect(result.rows).toEqual(clean.rows);
  expect(result.ledger).toBe(upstream.arrivals.length);
  await upstream.close();
});

test('runs one of two simultaneous syncs, and the other stops without a call', async () => {
  const upstream = await startFaultyUpstream([
    { fault: faults.hang, times: Number.POSITIVE_INFINITY },
  ]);
  const dataDir = freshFolder();
  const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: KEY };
  const stopping = new AbortController();
  const first = runCommand(['sync', '--no-export'], { dataDir, env, signal: stopping.signal });
  while (upstream.arrivals.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const arrived = upstream.arrivals.length;
  const second = await runCommand(['sync', '--no-export'], { dataDir, env });
  expect(second.code).not.toBe(0);
  expect(second.err).toMatch(/Another sync is at work/);
  expect(upstream.arrivals.length).toBe(arrived);
  stopping.abort(new Error('stopped by the test'));
  expect((await first).code).toBe(75);
  await upstream.close();
});

test('stores the same rows however often it syncs', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  for (let i = 0; i < 3; i++) await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
  expect(lakeRows(lake)).toEqual(clean.rows);
  await upstream.close();
});
