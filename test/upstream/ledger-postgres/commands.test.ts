import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { type Clock, systemClock, virtualClock } from '../../../src/base/clock.ts';
import { commandText } from '../../../src/base/installation.ts';
import { openLake, openLakeForReading } from '../../../src/lake/open.ts';
import { freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';
import { ledgerServer } from './ledger-server.ts';

const servers = await ledgerServer();
const PASSWORD = 'hunter2-of-the-ledger';
const NOBODY = `postgres://trendlake:${PASSWORD}@127.0.0.1:1/trendlake`;

/**
 * Runs a command that counts in a ledger, on the machine's clock; in a month that rolls, as the end
 * of a calendar month would be waited for where it is near.
 */
const command = (
  argv: readonly string[],
  url: string,
  env: NodeJS.ProcessEnv = {},
  dataDir = freshFolder(),
  clock: Clock = systemClock,
) =>
  runCommand(argv, {
    dataDir,
    clock,
    env: { TRENDLAKE_LEDGER_URL: url, TRENDLAKE_QUOTA_RESET: 'rolling', ...env },
  });

test('an address that can be none is refused without being shown', async () => {
  for (const url of [
    `mysql://u:${PASSWORD}@h/d`,
    `postgres://u:${PASSWORD}@h`,
    `postgres://u:${PASSWORD}@h/d?schema=A-b`,
  ]) {
    const { code, err } = await command(['ledger', 'init'], url);
    expect(code).toBe(2);
    expect(err).toContain('TRENDLAKE_LEDGER_URL must be postgres://');
    expect(err).not.toContain(PASSWORD);
  }
  const { code, err } = await runCommand(['ledger', 'init'], { dataDir: freshFolder() });
  expect(code).toBe(2);
  expect(err).toContain('TRENDLAKE_LEDGER_URL is not set');
});

test('an unreachable ledger pauses: no call, no count elsewhere, no secret in the output', async () => {
  const dataDir = freshFolder();
  for (const argv of [['ledger', 'init'], ['sync', '--verbose'], ['plan'], ['sync', '--json']]) {
    const { code, out, err } = await command(argv, NOBODY, {}, dataDir, virtualClock(0));
    expect(code).toBe(75);
    expect(out + err).toContain('127.0.0.1:1/trendlake cannot be reached');
    expect(out + err).not.toContain(PASSWORD);
  }
  openLake(dataDir).close();
  for (const argv of [['status'], ['status', '--json'], ['doctor']]) {
    const { code, out, err } = await command(argv, NOBODY, {}, dataDir, virtualClock(0));
    expect(code).toBe(argv[0] === 'doctor' ? 1 : 0);
    expect(out + err).toMatch(/unknown|cannot be reached|"quota": ?null/);
    expect(out + err).not.toContain(PASSWORD);
  }
});

/** A ledger and an upstream of a test's own. */
const freshPair = async () => {
  const { url, db } = await servers.freshLedger();
  const upstream = await startFaultyUpstream();
  onTestFinished(async () => {
    await upstream.close();
    await db.close();
  });
  return { url, db, upstream };
};

describe.skipIf(servers.missing !== undefined)(servers.missing ?? 'a ledger in PostgreSQL', () => {
  test('`ledger init` says what it did, twice over, and what the server may lose', async () => {
    const url = servers.freshUrl();
    const first = await command(['ledger', 'init'], url);
    expect(first.code).toBe(0);
    expect(first.out).toContain('created. Calls, months, hints and slots are now counted there');
    expect(first.err).toContain('fsync is off');
    const second = await command(['ledger', 'init', '--json'], url);
    expect(JSON.parse(second.out)).toMatchObject({ was: 'current', version: 4 });
  });

  test('a ledger that is not made, foreign or newer is refused in words', async () => {
    const url = servers.freshUrl();
    const none = await command(['sync'], url);
    expect(none.code).toBe(1);
    expect(none.err).toContain(`Run \`${commandText('ledger init')}\` once`);
    const { url: newer, db } = await servers.freshLedger();
    await db.rows(`update ${db.schema}.meta set version = 99`);
    for (const argv of [['ledger', 'init'], ['sync']]) {
      const { code, err } = await command(argv, newer);
      expect([code, err]).toEqual([1, expect.stringContaining('newer trendlake (version 99')]);
    }
    await db.rows(`drop table ${db.schema}.meta`);
    const foreign = await command(['ledger', 'init'], newer);
    expect([foreign.code, foreign.err]).toEqual([1, expect.stringContaining('something else')]);
    await db.close();
  });

  test('two data directories with one key spend one month', async () => {
    const { url, db, upstream } = await freshPair();
    const env = {
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
      TRENDLAKE_RATE_PER_MINUTE: '10000',
      TRENDLAKE_CALLS_PER_MONTH: '5',
      TRENDLAKE_PLATFORMS: 'tiktok',
    };
    const folders = [freshFolder(), freshFolder()];
    const made = await Promise.all(
      folders.map((folder, each) =>
        command(
          ['sync', '--jobs', 'feed,trends', '--no-export', '--json'],
          url,
          { ...env, TRENDLAKE_LAKE: `lake${each}` },
          folder,
        ),
      ),
    );
    expect(made.map(({ code }) => code)).toContain(75);
    const rows = await db.rows<{ lake: string; calls: number }>(
      `select lake, count(*)::int as calls from ${db.schema}.calls group by lake order by lake`,
    );
    const here = folders.map((folder, each) => {
      const lake = openLakeForReading(folder);
      const calls = lake.sqlite.prepare('select count(*) from calls').pluck().get();
      lake.close();
      return { lake: `lake${each}`, calls };
    });
    expect(rows).toEqual(here.filter(({ calls }) => calls !== 0));
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(5);
    const keys = await db.rows<{ hash: string }>(`select hash from ${db.schema}.keys`);
    expect(keys).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    const { out } = await command(['plan', '--json'], url, env);
    expect(JSON.parse(out)).toMatchObject({ month: { spent: 5, remaining: 0 } });
  });

  test('`sync --json` states the smallest limits of all machines', async () => {
    const { url, db, upstream } = await freshPair();
    const env = { TRENDLAKE_BASE_URL: upstream.baseUrl, TRENDLAKE_API_KEY: KEY };
    const quotaOf = async (lake: string, rate: string): Promise<unknown> => {
      const { out } = await command(['sync', '--jobs', 'feed', '--no-export', '--json'], url, {
        ...env,
        TRENDLAKE_LAKE: lake,
        TRENDLAKE_PLATFORMS: 'tiktok',
        TRENDLAKE_RATE_PER_MINUTE: rate,
        TRENDLAKE_CALLS_PER_MONTH: rate,
      });
      return JSON.parse(out).quota;
    };
    expect(await quotaOf('berlin', '70')).toMatchObject({ minute: 70, month: 70 });
    expect(await quotaOf('paris', '90')).toMatchObject({ minute: 70, month: 70 });
    const members = await db.rows(`select lake from ${db.schema}.members`);
    expect(members).toHaveLength(2);
  });

  test('several keys of one machine have a row each; what is not set here is not known', async () => {
    const { url, db, upstream } = await freshPair();
    const folder = freshFolder();
    const named = ['a', 'b'].map((name) => ({ name, keyEnv: `KEY_${name.toUpperCase()}` }));
    const limits = { baseUrl: upstream.baseUrl, ratePerMinute: 10_000, callsPerMonth: 2 };
    writeFileSync(
      join(folder, 'trendlake.config.json'),
      JSON.stringify({ keys: named.map((key) => ({ ...key, ...limits })) }),
      { mode: 0o600 },
    );
    const several = { TRENDLAKE_LAKE: 'two-keys', TRENDLAKE_PLATFORMS: 'tiktok' };
    const secrets = { ...several, KEY_A: 'secret-a', KEY_B: 'secret-b' };
    const sync = ['sync', '--jobs', 'feed,trends', '--no-export', '--json'];
    expect((await command(sync, url, secrets, folder)).code).toBe(75);
    const ofKeys = await db.rows<{ calls: number }>(
      `select count(*)::int as calls from ${db.schema}.calls where lake = 'two-keys' group by key_id`,
    );
    expect(ofKeys).toEqual([{ calls: 2 }, { calls: 2 }]);
    const told = await command(['status'], url, { ...several, KEY_A: 'secret-a' }, folder);
    expect(told.out).toContain('Key b is not set here');
  });
});
