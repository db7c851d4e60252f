import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Clock, HOUR_MS, virtualClock } from '../../src/clock.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import * as faults from '../support/faults.ts';
import { startFaultyUpstream } from '../support/faulty-upstream.ts';
import { freshFolder, freshLake } from '../support/fresh.ts';
import { expectWhole } from '../support/lake-invariants.ts';
import { countOf, lakeRows } from '../support/lake-rows.ts';
import { runCommand } from '../support/run-command.ts';
import { WORLD_AT } from '../support/small-world.ts';
import { CONCURRENCY, KEY, type SyncResult, syncOnce } from '../support/sync-once.ts';

const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'bin.js');

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

  test('the command says what happened and what to do', async () => {
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

test('another program holds the lock: an error in words, no call spent', async () => {
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

test('an analyst who reads for long neither waits nor makes anybody wait, and sees one instant', async () => {
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
    monotonic: inner.monotonic,
    sleep: inner.sleep,
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

test('of two syncs at once one works, the other says so and spends nothing', async () => {
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

test('the rows of a lake do not depend on how often it was synced', async () => {
  const upstream = await startFaultyUpstream();
  const lake = freshLake();
  for (let i = 0; i < 3; i++) await syncOnce(lake.dataDir, upstream.baseUrl, { lake });
  expect(lakeRows(lake)).toEqual(clean.rows);
  await upstream.close();
});
