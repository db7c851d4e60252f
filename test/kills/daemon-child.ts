import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, virtualClock } from '../../src/base/clock.ts';
import { whileLiving } from '../../src/lake/exclusive.ts';
import { openLake } from '../../src/lake/open.ts';
import { exportLake } from '../../src/output/parquet/export-lake.ts';
import { backupLake, removeUnfinishedBackups } from '../../src/run/maintenance/backup.ts';
import { CronExpression } from '../../src/run/plan/cron.ts';
import { DAEMON } from '../../src/run/schedule/daemon.ts';
import { Schedule } from '../../src/run/schedule/schedule.ts';
import { LakeSlots } from '../../src/run/schedule/slot-book.ts';
import { syncOnce } from '../support/sync-once.ts';

// A daemon over simulated nights, for daemon.test.ts: schedule, slots, sync, export and backup are the
// real ones. Its clock jumps instead of waiting, and goes on where the daemon before it was killed.

const [dataDir = '', baseUrl = '', startAt = '', endAt = '', crons = '{}'] = process.argv.slice(2);
const CLOCK = join(dataDir, 'clock');
const machine = virtualClock(
  existsSync(CLOCK) ? Number(readFileSync(CLOCK, 'utf8')) : Number(startAt),
);
const stop = new AbortController();

const keepTime = (): void => {
  writeFileSync(`${CLOCK}.new`, String(machine.now()));
  renameSync(`${CLOCK}.new`, CLOCK);
  if (machine.now() >= Number(endAt)) stop.abort(new Error('the week is over'));
};

const clock: Clock = {
  now: () => machine.now(),
  monotonic: () => machine.monotonic(),
  sleep: async (ms, signal) => {
    await machine.sleep(ms, signal);
    keepTime();
  },
};

const lake = openLake(dataDir);
removeUnfinishedBackups(dataDir);
const jobs = Object.entries(JSON.parse(crons) as Record<string, string>).map(([name, cron]) => ({
  name,
  cron: new CronExpression(name, cron, 'UTC'),
}));
const word = `p${process.pid}`;
const schedule = new Schedule({
  lake,
  clock,
  jobs,
  signal: stop.signal,
  slots: new LakeSlots(lake, clock, word),
  runJobs: async (names) => {
    if (names.length === 0 || names.includes('feed')) await syncOnce(dataDir, baseUrl, { clock });
    if (names.includes('export')) await exportLake(lake, { clock });
    if (names.includes('backup')) await backupLake(lake, { clock });
    return { resumesAt: null, retry: [] };
  },
  report: () => {},
  warn: (sentence) => process.stderr.write(`${sentence}\n`),
  fail: (sentence) => process.stderr.write(`${sentence}\n`),
});
await whileLiving(dataDir, { name: DAEMON, word, clock }, () => schedule.run());
lake.close();
