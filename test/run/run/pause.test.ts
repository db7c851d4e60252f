import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import type { RunSummary } from '../../../src/run/run/run-summary.ts';
import { hoursAgo } from '../../serve/filled-lake.ts';
import { type Running, runService } from '../../serve/running.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';

// Runs over real HTTP against our service, each with a new key of small limits. Service and pipeline
// share a virtual clock, which starts in March. Only the last test moves it to April.

const APRIL = Date.UTC(2026, 3, 1);

let running: Running;
beforeAll(async () => {
  running = await runService((into) => {
    for (const prefix of ['tt', 'ig', 'yt'])
      for (let n = 1; n <= 20; n++)
        into.video({
          id: `${prefix}_${n}`,
          user: `${prefix}${n % 7}`,
          snapshots: [
            [hoursAgo(20), 1000 * n],
            [hoursAgo(2), 5000 * n],
          ],
        });
  });
});

/** A pipeline with an empty lake and a new key. */
const world = (key: { ratePerMinute?: number; callsPerMonth?: number } = {}) => {
  const { clock, service } = running;
  const dataDir = freshDataDir();
  const settings = {
    TRENDLAKE_BASE_URL: service.url,
    TRENDLAKE_API_KEY: running.newKey(key),
    TRENDLAKE_LIST_ITEMS: '100',
    TRENDLAKE_GROWTH_CALLS: '20',
    TRENDLAKE_CREATOR_CALLS: '10',
  };
  const sync = async (argv: string[] = [], env: Record<string, string> = {}) => {
    const given = { dataDir, clock, env: { ...settings, ...env } };
    const { code, out } = await runCommand(['sync', '--json', '--no-export', ...argv], given);
    return { code, summary: JSON.parse(out) as RunSummary };
  };
  const rows = <T>(sql: string): T[] => {
    const lake = openLakeForReading(dataDir);
    try {
      return lake.sqlite.prepare(sql).all() as T[];
    } finally {
      lake.close();
    }
  };
  return { clock, dataDir, sync, rows };
};

describe('spent is not failed', () => {
  test('notices a smaller quota by its headers, not by refusals', async () => {
    const { sync, rows } = world({ callsPerMonth: 8 });
    const { code, summary } = await sync();
    expect([code, summary.outcome]).toEqual([75, 'paused']);
    expect(summary.reason).toMatch(/same key|smaller than configured/);
    expect(summary.resumesAt?.slice(0, 10)).toBe('2026-04-01');
    expect(summary.quota.remaining).toBe(0);
    expect(rows('select 1 from calls where status = 429')).toEqual([]);
    expect(rows("select name, remaining from quota_hint where name like '%month%'")).toEqual([
      { name: 'RateLimit "month"', remaining: 0 },
    ]);
  });

  test('keeps to a lower rate than configured, without a refusal', async () => {
    const { sync, rows } = world({ ratePerMinute: 7 });
    const { code } = await sync(['--jobs', 'feed,trends,hashtags']);
    expect(code).toBe(0);
    expect(rows('select status from calls where status <> 200').length).toBeLessThanOrEqual(1);
  });

  test('pauses at --max-calls, and each sync resumes until all is done', async () => {
    const { sync, clock } = world();
    const codes: number[] = [];
    for (let turn = 0; turn < 10 && codes.at(-1) !== 0; turn++) {
      const { code, summary } = await sync(['--max-calls', '9']);
      codes.push(code);
      if (code === 75) expect(summary.resumesAt).toBeNull();
      clock.advanceTo(clock.now() + HOUR_MS / 4);
    }
    expect(codes.length).toBeGreaterThan(3);
    expect([...new Set(codes)]).toEqual([75, 0]);
  });
});

describe('the budget of a run', () => {
  test("shrinks with the month's rest for refreshes, never for lists", async () => {
    const jobsAt = async (month: string) => {
      const { summary } = await world().sync([], { TRENDLAKE_CALLS_PER_MONTH: month });
      const { feed, growth, creators } = summary.calls.byJob;
      return [summary.outcome, feed?.sent, growth?.sent ?? 0, creators?.sent ?? 0];
    };
    expect(await jobsAt('50000')).toEqual(['complete', 3, 20, 10]);
    expect(await jobsAt('2400')).toEqual(['complete', 3, 14, 6]);
    expect(await jobsAt('1500')).toEqual(['complete', 3, 0, 0]);
  });

  test('makes no refreshes in a second sync if the clock stands still', async () => {
    const { sync } = world();
    const { summary } = await sync();
    expect([summary.calls.byJob.growth?.sent, summary.calls.byJob.creators?.sent]).toEqual([
      20, 10,
    ]);
    const { summary: second } = await sync();
    expect([second.outcome, Object.keys(second.calls.byJob)]).toEqual([
      'complete',
      ['feed', 'hashtags', 'trends'],
    ]);
  });
});

describe('plan and status', () => {
  test('show the price before and the account after', async () => {
    const { sync, dataDir, clock } = world();
    const plan = async () =>
      JSON.parse((await runCommand(['plan', '--json'], { dataDir, clock })).out) as {
        month: { spent: number };
        rest: { fits: boolean };
        unfinished: { requests: number } | null;
        nextRun: { job: string; calls: number }[];
      };
    expect(await plan()).toMatchObject({
      month: { spent: 0 },
      rest: { fits: true },
      unfinished: null,
    });
    const { summary } = await sync(['--max-calls', '8']);
    expect(await plan()).toMatchObject({
      month: { spent: 8 },
      unfinished: { runId: summary.runId, requests: summary.items.planned },
    });
    const { out } = await runCommand(['status', '--json'], { dataDir, clock });
    const { quota, accounting } = JSON.parse(out);
    expect(quota).toMatchObject({ spent: 8, remaining: 49_992 });
    const [first] = accounting.byJob;
    expect(first.rowsPerCall).toBeGreaterThan(1);
    expect(accounting.hints.map(({ name }: { name: string }) => name)).toContain(
      'RateLimit "month"',
    );
    expect((await runCommand(['status'], { dataDir, clock })).out).toMatch(/rows changed per call/);
    expect((await runCommand(['plan'], { dataDir, clock })).out).toMatch(/It fits/);
  });
});

describe('the next month', () => {
  test('pauses a run at the end of the quota and resumes it next month, without repeating calls', async () => {
    const { sync, clock, rows } = world();
    const month = { TRENDLAKE_CALLS_PER_MONTH: '9' };
    const first = await sync([], month);
    expect([first.code, first.summary.outcome, first.summary.calls.sent]).toEqual([
      75,
      'paused',
      9,
    ]);
    expect(first.summary.resumesAt).toBe(new Date(APRIL).toISOString());
    expect(first.summary.quota).toMatchObject({ month: 9, remaining: 0 });
    const again = await sync([], month);
    expect([again.code, again.summary.calls.sent]).toEqual([75, 9]);
    clock.advanceTo(APRIL + HOUR_MS);
    const next = await sync([], { TRENDLAKE_CALLS_PER_MONTH: '1000' });
    expect([next.code, next.summary.outcome]).toEqual([0, 'complete']);
    const repeated = rows(
      `select request from calls where status = 200 and run_id = ${first.summary.runId} group by request having count(*) > 1`,
    );
    expect(repeated).toEqual([]);
  });
});
