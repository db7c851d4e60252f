import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFaultyUpstream } from '../../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../../fixtures/small-world.ts';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { isAlive } from '../../support/alive.ts';
import { eventually } from '../../support/eventually.ts';
import { freshDataDir, freshFolder } from '../../support/fresh.ts';
import { runCommand } from '../../support/run-command.ts';
import { KEY } from '../../support/sync-once.ts';
import { openTestLake } from '../../support/test-lake.ts';

/** Due as the daemon starts, and not again: cron wakes it by the machine's own clock. */
const ONCE = '0 0 1 * *';

test.runIf(process.platform === 'linux')(
  'a notify command that hangs and ignores SIGTERM keeps the daemon neither from its slots nor from stopping',
  async () => {
    const dataDir = freshDataDir();
    const lake = openTestLake(dataDir);
    lake.sqlite
      .prepare(`insert into drift (resource, field, first_seen_at, sample) values ('v', 'f', ?, 1)`)
      .run(WORLD_AT);
    lake.close();
    const file = join(freshFolder(), 'pids');
    const upstream = await startFaultyUpstream([]);
    const clock = virtualClock(WORLD_AT);
    const stop = new AbortController();
    const watched: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: async (ms, signal) => {
        if (existsSync(file)) stop.abort(new Error('stopped by the test')); // the daemon waits for a slot
        await clock.sleep(ms < HOUR_MS ? ms : 0, signal);
      },
    };
    const { code, err } = await runCommand(['schedule'], {
      dataDir,
      clock: watched,
      signal: stop.signal,
      env: {
        PATH: process.env.PATH,
        TRENDLAKE_BASE_URL: upstream.baseUrl,
        TRENDLAKE_API_KEY: KEY,
        TRENDLAKE_PLATFORMS: 'tiktok',
        TRENDLAKE_SCHEDULES: JSON.stringify({
          feed: ONCE,
          trends: 'off',
          hashtags: 'off',
          watch: 'off',
          growth: 'off',
          creators: 'off',
          export: 'off',
          prune: 'off',
          backup: 'off',
        }),
        TRENDLAKE_NOTIFY: `trap '' TERM; sleep 1000 & echo $! $$ > '${file}.new'; mv '${file}.new' '${file}'; wait; sleep 1000`,
      },
    });
    await upstream.close();
    expect([code, err]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
    const pids = readFileSync(file, 'utf8').trim().split(' ').map(Number);
    await eventually(() => expect(pids.map(isAlive)).toEqual([false, false]));
  },
);
