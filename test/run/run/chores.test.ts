import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { item } from '../../../fixtures/faults.ts';
import { type FaultRule, startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { withExclusive } from '../../../src/lake/exclusive.ts';
import { openLakeForReading } from '../../../src/lake/open.ts';
import { freshDataDir } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';

/** Due as the daemon starts, and not again: cron wakes it by the machine's own clock, whatever the test's says. */
const ONCE = '0 0 1 * *';
const FEED_AND_CHORES = {
  feed: ONCE,
  export: ONCE,
  prune: ONCE,
  backup: ONCE,
  trends: 'off',
  hashtags: 'off',
  watch: 'off',
  growth: 'off',
  creators: 'off',
};
const FEED_PAGES = 2;

const envOf = (baseUrl: string) => ({
  TRENDLAKE_BASE_URL: baseUrl,
  TRENDLAKE_API_KEY: KEY,
  TRENDLAKE_PLATFORMS: 'tiktok',
});

/** Runs the daemon until `isOver`, which sees `level message` of each line logged, says so; an hour at most. */
const scheduleUntil = async (
  dataDir: string,
  isOver: (lines: readonly string[]) => boolean | Promise<boolean>,
  rules: FaultRule[] = [],
) => {
  const clock = virtualClock(WORLD_AT);
  const upstream = await startFaultyUpstream(rules);
  const logFile = join(dataDir, 'log');
  writeFileSync(logFile, '');
  const lines = (): string[] =>
    readFileSync(logFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string })
      .map(({ level, msg }) => `${level} ${msg}`);
  const stopping = new AbortController();
  const watched: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (ms, signal) => {
      const late = clock.now() > WORLD_AT + HOUR_MS;
      if (late || (await isOver(lines()))) stopping.abort(new Error('stopped by the test'));
      await clock.sleep(ms, signal);
    },
  };
  const env = {
    ...envOf(upstream.baseUrl),
    TRENDLAKE_SCHEDULES: JSON.stringify(FEED_AND_CHORES),
    TRENDLAKE_LOG_FILE: logFile,
  };
  const given = { dataDir, env, clock: watched, signal: stopping.signal };
  const { code } = await runCommand(['schedule'], given);
  await upstream.close();
  return { code, calls: upstream.arrivals.length, told: lines().join('\n') };
};

test('retries a failed chore alone, without pulling again', async () => {
  const dataDir = freshDataDir();
  const gate = Promise.withResolvers<void>();
  const elsewhere = withExclusive(dataDir, 'export', virtualClock(WORLD_AT), () => gate.promise);
  const { code, calls, told } = await scheduleUntil(dataDir, async (lines) => {
    if (!lines.some((line) => line.startsWith('warn export: Another export'))) return false;
    gate.resolve();
    await elsewhere;
    return lines.some((line) => /rows written$/.test(line));
  });
  expect(code).toBe(0);
  expect(told).toMatch(
    /^warn export: Another export[\s\S]*^info .*checked$[\s\S]*^info .*rows written$/m,
  );
  expect(told.match(/ checked$/gm)).toHaveLength(1); // the backup, which did not fail
  expect(calls).toBe(FEED_PAGES);
});

test('runs later chores after one that fails for good', async () => {
  const dataDir = freshDataDir();
  writeFileSync(join(dataDir, 'parquet'), 'not a folder');
  const { code, told } = await scheduleUntil(dataDir, (lines) =>
    lines.some((line) => line.endsWith(' checked')),
  );
  expect(code).toBe(0);
  expect(told).toMatch(/^error export: .*parquet.* could not be written/m);
  expect(told).toMatch(/^info .* stored responses older .* removed$/m);
  expect(told).toMatch(/^info .*backups.*checked$/m);
});

test('leaves a slot that waits behind a paused run to the next daemon', async () => {
  const dataDir = freshDataDir();
  const upstream = await startFaultyUpstream();
  const given = { dataDir, env: envOf(upstream.baseUrl), clock: virtualClock(WORLD_AT) };
  await runCommand(['sync', '--jobs', 'trends', '--max-calls', '1', '--no-export'], given);
  await upstream.close();
  let asked = false;
  const hangs = {
    on: /trends/,
    fault: () => {
      asked = true;
    },
  };
  await scheduleUntil(dataDir, () => asked, [hangs]);
  await scheduleUntil(
    dataDir,
    (lines) => lines.filter((line) => /run \d complete/.test(line)).length > 1,
  );
  const lake = openLakeForReading(dataDir);
  const loaded = "select distinct job from run_items where state = 'done' order by job";
  expect(lake.sqlite.prepare(loaded).pluck().all()).toEqual(['feed', 'trends']);
  lake.close();
});

test('logs a drifted field by name, without its value', async () => {
  const dataDir = freshDataDir();
  const rules = [{ on: /feed/, fault: item({ about: 'Ann of 5 Elm Row' }), times: 9 }];
  await scheduleUntil(dataDir, (lines) => lines.some((line) => line.endsWith(' checked')), rules);
  const log = readFileSync(join(dataDir, 'log'), 'utf8');
  expect(log).toContain('content item: about');
  expect(log).not.toContain('Elm Row');
});
