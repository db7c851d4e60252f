import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clock, virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/durations.ts';
import { livingWords, whileLiving } from '../../../src/lake/exclusive.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { removeUnfinishedBackups, unfinishedBackups } from '../../../src/run/maintenance/backup.ts';
import { CronExpression } from '../../../src/run/plan/cron.ts';
import { DAEMON } from '../../../src/run/schedule/daemon.ts';
import { Schedule } from '../../../src/run/schedule/schedule.ts';
import { LakeSlots } from '../../../src/run/schedule/slot-book.ts';
import { freshLake } from '../../support/fresh.ts';

const NIGHT = Date.UTC(2026, 4, 10, 2, 15);

const book = (lake: Lake, owner: string, now = NIGHT): LakeSlots =>
  new LakeSlots(lake, virtualClock(now), owner);

const slotRows = ({ sqlite }: Lake): unknown[] =>
  sqlite
    .prepare(
      `select job, (slot_at - ${NIGHT}) / ${DAY_MS} as night,
         case when done_at is not null then 'done' else coalesce(missed, 'open') end as state
       from slots order by job, slot_at`,
    )
    .all();

test('takes over the claim of a dead daemon once', () => {
  const lake = freshLake();
  expect(book(lake, 'killed').claim({ job: 'backup', slotAt: NIGHT })).toBe(true);
  const next = book(lake, 'next');
  expect(next.claim({ job: 'backup', slotAt: NIGHT })).toBe(false);
  expect(next.takeOver(['backup'])).toMatchObject([{ job: 'backup', slotAt: NIGHT }]);
  expect(book(lake, 'third').takeOver([])).toEqual([]);
  next.done({ job: 'backup', slotAt: NIGHT });
  expect(slotRows(lake)).toEqual([{ job: 'backup', night: 0, state: 'done' }]);
});

test('leaves the claims of a running daemon', async () => {
  const lake = freshLake();
  book(lake, 'alive').claim({ job: 'backup', slotAt: NIGHT });
  const sign = { name: DAEMON, word: 'alive', clock: virtualClock(NIGHT) };
  await whileLiving(lake.dataDir, sign, async () => {
    expect(book(lake, 'next').takeOver(['backup'])).toEqual([]);
  });
  expect(book(lake, 'next').takeOver(['backup'])).toHaveLength(1);
});

test('takes over the newest claim of a dead daemon and marks the others as missed', () => {
  const lake = freshLake();
  const killed = book(lake, 'killed');
  for (const night of [0, 1, 2]) killed.claim({ job: 'export', slotAt: NIGHT + night * DAY_MS });
  expect(book(lake, 'next').takeOver(['export'])).toHaveLength(1);
  const missed = 'Its daemon died, and a later slot was done instead.';
  expect(slotRows(lake)).toEqual([
    { job: 'export', night: 0, state: missed },
    { job: 'export', night: 1, state: missed },
    { job: 'export', night: 2, state: 'open' },
  ]);
});

test('marks the claim of an unscheduled job as missed', () => {
  const lake = freshLake();
  book(lake, 'killed').claim({ job: 'publish', slotAt: NIGHT });
  expect(book(lake, 'next').takeOver(['export'])).toEqual([]);
  expect(slotRows(lake)).toMatchObject([{ state: expect.stringContaining('no longer scheduled') }]);
});

test('does not repeat lists whose run began, because that run is resumed', () => {
  const lake = freshLake();
  const killed = book(lake, 'killed');
  for (const job of ['feed', 'trends']) killed.claim({ job, slotAt: NIGHT });
  lake.sqlite.exec(`
    insert into runs (id, started_at, heartbeat_at, outcome, jobs)
      values (1, ${NIGHT + 5}, ${NIGHT + 5}, 'running', '["feed"]');
    insert into run_items (run_id, job, request, request_json, position, state, attempts)
      values (1, 'feed', 'GET /feed/tiktok', '{}', 1, 'planned', 0)`);
  expect(book(lake, 'next').takeOver(['feed', 'trends'])).toMatchObject([{ job: 'trends' }]);
  expect(slotRows(lake)).toContainEqual({ job: 'feed', night: 0, state: 'done' });
});

test('records slots without a running daemon as missed', () => {
  const lake = freshLake();
  const cron = new CronExpression('export', '15 2 * * *', 'UTC');
  const slots = book(lake, 'first');
  slots.claim({ job: 'export', slotAt: NIGHT });
  slots.done({ job: 'export', slotAt: NIGHT });
  const later = { job: 'export', slotAt: NIGHT + 3 * DAY_MS };
  const next = book(lake, 'next');
  next.claim(later);
  next.noteMissed(later, cron);
  expect(slotRows(lake)).toEqual([
    { job: 'export', night: 0, state: 'done' },
    { job: 'export', night: 1, state: 'No daemon was running.' },
    { job: 'export', night: 2, state: 'No daemon was running.' },
    { job: 'export', night: 3, state: 'open' },
  ]);
});

test('removes the lock file of a killed daemon', async () => {
  const lake = freshLake();
  const folder = join(lake.dataDir, 'locks');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${DAEMON}-killed.lock`), '');
  const sign = { name: DAEMON, word: 'alive', clock: virtualClock(NIGHT) };
  await whileLiving(lake.dataDir, sign, async () => {
    expect(livingWords(lake.dataDir, DAEMON)).toEqual(new Set(['alive']));
  });
  expect(readdirSync(folder)).not.toContain(`${DAEMON}-killed.lock`);
});

test('finds an interrupted backup and removes it at the next start', () => {
  const { dataDir } = freshLake();
  mkdirSync(join(dataDir, 'backups'));
  const path = join(dataDir, 'backups', 'trendlake-2026-05-10.db.new');
  writeFileSync(path, 'half');
  expect(unfinishedBackups(dataDir)).toEqual([path]);
  removeUnfinishedBackups(dataDir);
  expect(existsSync(path)).toBe(false);
});

test('frees the slots that come again after the clock was set back', async () => {
  const lake = freshLake();
  const stop = new AbortController();
  let setBackMs = 0;
  const machine = virtualClock(NIGHT);
  const clock: Clock = {
    now: () => machine.now() - setBackMs,
    monotonic: () => machine.monotonic(),
    sleep: async (ms, signal) => {
      await machine.sleep(ms, signal);
      if (machine.now() > NIGHT + 10 * MINUTE_MS) setBackMs = 3 * HOUR_MS;
    },
  };
  const done = new LakeSlots(lake, machine, 'before');
  for (const slotAt of [NIGHT - HOUR_MS, NIGHT]) {
    done.claim({ job: 'feed', slotAt });
    done.done({ job: 'feed', slotAt });
  }
  const wokenAt: number[] = [];
  const told: string[] = [];
  await new Schedule({
    lake,
    clock,
    signal: stop.signal,
    slots: new LakeSlots(lake, clock, 'daemon'),
    jobs: [
      {
        name: 'feed',
        cron: {
          previousSlot: (now) => {
            wokenAt.push(now);
            if (wokenAt.length === 2) stop.abort(new Error('seen'));
            return undefined;
          },
          slots: () => [],
        },
      },
    ],
    runJobs: async () => ({ resumesAt: null, retry: [] }),
    report: (sentence) => void told.push(sentence),
    warn: () => {},
    fail: () => {},
  }).run();
  expect(wokenAt).toHaveLength(2);
  expect(wokenAt[1]).toBeLessThan(NIGHT);
  expect(told).toEqual([expect.stringContaining('The clock was set to 2026-05-09T23:')]);
  expect(slotRows(lake)).toEqual([]); // they come again
});
