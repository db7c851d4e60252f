import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import prune from '../../jobs/prune.ts';
import { systemClock, virtualClock } from '../../src/base/clock.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { type Lake, openLake } from '../../src/lake/open.ts';
import { backupLake } from '../../src/run/maintenance/backup.ts';
import { freshDataDir } from '../support/fresh.ts';
import { smallConfig } from '../support/sync-once.ts';

const NOW = Date.UTC(2026, 2, 1);
const OLD = 4000;
const KEPT = 300;
const BODY = randomBytes(4400);

/** A lake with the bodies of 4,000 calls of a year ago and 300 of today, 36 MB. */
const fullLake = (autoVacuum: 'none' | 'incremental'): Lake => {
  const dataDir = freshDataDir();
  if (autoVacuum === 'none') {
    openLake(dataDir).close();
    const sqlite = new Database(`${dataDir}/trendlake.db`);
    sqlite.pragma('journal_mode = delete');
    sqlite.pragma('auto_vacuum = 0');
    sqlite.exec('vacuum'); // as lakes were made before
    sqlite.close();
  }
  const lake = openLake(dataDir);
  const call = lake.sqlite.prepare(
    "insert into calls (id, job, request, sent_at, sender) values (?, 'feed', 'GET /feed/tiktok', ?, 'one')",
  );
  const body = lake.sqlite.prepare(
    'insert into responses (call_id, observed_at, body) values (?, ?, ?)',
  );
  lake.sqlite.transaction(() => {
    for (let id = 1; id <= OLD + KEPT; id += 1) {
      const at = id <= OLD ? NOW - 365 * DAY_MS + (id % 7) : NOW - id;
      call.run(id, at);
      body.run(id, at, BODY);
    }
  })();
  return lake;
};

const runPrune = async (
  lake: Lake,
  signal = new AbortController().signal,
  clock = virtualClock(NOW),
) => {
  const config = smallConfig(lake.dataDir, 'http://127.0.0.1:1/v1');
  const context = { lake, config, clock, signal, random: () => 0.5, env: {} };
  return await prune.run(context);
};

const bodies = (lake: Lake): unknown =>
  lake.sqlite.prepare('select count(*) from responses').pluck().get();

test.each(['incremental', 'none'] as const)(
  'pruned bodies are given back to the file system: auto_vacuum = %s',
  async (autoVacuum) => {
    const lake = fullLake(autoVacuum);
    lake.sqlite.pragma('wal_checkpoint(truncate)');
    const before = statSync(lake.path).size;
    const { did } = await runPrune(lake);
    expect(did).toMatch(/^4000 stored responses .* removed; the file gave back \d\d MB$/);
    expect(bodies(lake)).toBe(KEPT);
    const after = statSync(lake.path).size;
    expect(after).toBeLessThan(0.45 * before);
    const backup = await backupLake(lake, { clock: systemClock });
    expect(backup.bytes).toBeLessThan(0.45 * before);
    expect(lake.sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(lake.sqlite.pragma('auto_vacuum', { simple: true })).toBe(2);
    expect((await runPrune(lake)).did).toMatch(/^0 stored responses .* removed$/);
    expect(statSync(lake.path).size).toBe(after);
    lake.close();
  },
);

test('others write between the steps, and what was stopped is gone on with', async () => {
  const lake = fullLake('incremental');
  const other = openLake(lake.dataDir);
  other.sqlite.pragma('busy_timeout = 0');
  const stopping = new AbortController();
  let turns = 0;
  const clock = virtualClock(NOW);
  clock.sleep = async (_, signal) => {
    turns += 1;
    other.sqlite.prepare('update calls set error = ? where id = 1').run(`turn ${turns}`);
    if (turns === 12) stopping.abort(new Error('stopped'));
    signal?.throwIfAborted();
  };
  await expect(runPrune(lake, stopping.signal, clock)).rejects.toThrow('stopped');
  const { did } = await runPrune(lake, undefined, virtualClock(NOW));
  expect(did).toContain('the file gave back');
  expect(bodies(lake)).toBe(KEPT);
  expect(turns).toBe(12);
  other.close();
  lake.close();
});
