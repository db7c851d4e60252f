import Database from 'better-sqlite3';
import { getTasks } from 'node-cron';
import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/base/durations.ts';
import { LakeError } from '../../../src/base/errors.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { backupLake } from '../../../src/run/maintenance/backup.ts';
import { restoreLake } from '../../../src/run/maintenance/restore.ts';
import { CronExpression } from '../../../src/run/plan/cron.ts';
import { type BatchEnd, Schedule, type Scheduled } from '../../../src/run/schedule/schedule.ts';
import { LakeSlots } from '../../../src/run/schedule/slot-book.ts';
import { freshLake } from '../../support/fresh.ts';

const NOON = Date.UTC(2026, 4, 10, 12);

/** A job whose slots are given by hand; `ring` adds one. */
const handCron = (name: string, first: number | undefined) => {
  const slots = first === undefined ? [] : [first];
  const job: Scheduled = {
    name,
    cron: {
      previousSlot: (now) => slots.findLast((at) => at <= now),
      slots: (from, to) => slots.filter((at) => at > from && at < to),
    },
  };
  return { job, ring: (slotAt: number) => void slots.push(slotAt) };
};

let daemons = 0;

const daemon = (
  lake: Lake,
  jobs: Scheduled[],
  runJobs: (names: readonly string[], stop: () => Error) => Promise<Partial<BatchEnd>>,
) => {
  const stopping = new AbortController();
  const clock = virtualClock(NOON);
  const told: string[] = [];
  const stop = (): Error => {
    const reason = new Error('stopped by the test');
    stopping.abort(reason);
    return reason;
  };
  const schedule = new Schedule({
    lake,
    clock,
    slots: new LakeSlots(lake, clock, `daemon${daemons++}`),
    signal: stopping.signal,
    jobs,
    runJobs: async (names) => ({ resumesAt: null, retry: [], ...(await runJobs(names, stop)) }),
    report: (sentence) => void told.push(sentence),
    warn: (sentence) => void told.push(`warning: ${sentence}`),
    fail: (sentence) => void told.push(`error: ${sentence}`),
  });
  return { run: () => schedule.run(), clock, told };
};

test('catches a missed slot up once, and runs jobs due together in one batch', async () => {
  const lake = freshLake();
  const jobs = [handCron('feed', NOON - MINUTE_MS).job, handCron('trends', NOON - HOUR_MS).job];
  const batches: string[][] = [];
  const done = async (names: readonly string[], stop: () => void) => {
    batches.push([...names]);
    stop();
    return { resumesAt: null };
  };
  await daemon(lake, jobs, done).run();
  expect(batches).toEqual([['feed', 'trends']]);

  const again = daemon(lake, [...jobs, handCron('hashtags', NOON).job], done);
  await again.run();
  expect(batches).toEqual([['feed', 'trends'], ['hashtags']]);
});

test('gives each slot to one of two daemons', async () => {
  const lake = freshLake();
  const batches: string[] = [];
  const first = handCron('feed', NOON);
  const second = handCron('feed', NOON);
  const one = daemon(lake, [first.job], async (names, stop) => {
    batches.push(`one: ${names.join()}`);
    stop();
    return { resumesAt: null };
  });
  const two = daemon(lake, [second.job, handCron('trends', NOON).job], async (names, stop) => {
    batches.push(`two: ${names.join()}`);
    stop();
    return { resumesAt: null };
  });
  await one.run();
  await two.run();
  expect(batches).toEqual(['one: feed', 'two: trends']);
});

test('resumes a paused batch when calls are available', async () => {
  const lake = freshLake();
  const seen: { names: readonly string[]; at: number }[] = [];
  const { run, clock } = daemon(lake, [handCron('growth', NOON).job], async (names, stop) => {
    seen.push({ names, at: clock.now() });
    if (seen.length === 1) return { resumesAt: NOON + 3 * HOUR_MS };
    stop();
    return { resumesAt: null };
  });
  await run();
  expect(seen[0]).toEqual({ names: ['growth'], at: NOON });
  expect(seen[1]?.names).toEqual([]);
  expect(seen[1]?.at).toBeGreaterThanOrEqual(NOON + 3 * HOUR_MS);
});

test('stops in the middle of a chore like any other stop', async () => {
  const { run, told } = daemon(freshLake(), [handCron('export', NOON).job], async (_, stop) => {
    throw stop();
  });
  await run();
  expect(told).toEqual([]);
});

test('keeps jobs due while another process syncs', async () => {
  const lake = freshLake();
  const batches: string[][] = [];
  const { run, told } = daemon(lake, [handCron('feed', NOON).job], async (names, stop) => {
    batches.push([...names]);
    if (batches.length === 1) throw new LakeError('Another sync is at work', { transient: true });
    stop();
    return { resumesAt: null };
  });
  await run();
  expect(batches).toEqual([['feed'], ['feed']]);
  expect(told).toEqual(['warning: feed: Another sync is at work']);
});

test('retries only jobs that need it, and keeps the pause of their batch', async () => {
  const seen: { names: readonly string[]; at: number }[] = [];
  const jobs = [handCron('growth', NOON).job, handCron('backup', NOON).job];
  const { run, clock, told } = daemon(freshLake(), jobs, async (names, stop) => {
    seen.push({ names, at: clock.now() });
    if (seen.length === 1) return { resumesAt: NOON + 3 * HOUR_MS, retry: ['backup'] };
    if (seen.length === 2) throw new LakeError('The disk is full', { transient: true });
    if (seen.length === 3) throw new LakeError('It is damaged');
    stop();
    return {};
  });
  await run();
  expect(seen.map(({ names }) => names)).toEqual([
    ['growth', 'backup'],
    ['backup'],
    ['backup'],
    [],
  ]);
  expect(seen[2]?.at).toBeLessThan(NOON + 2 * MINUTE_MS);
  expect(seen[3]?.at).toBe(NOON + 3 * HOUR_MS);
  expect(told).toEqual([
    'Paused until 2026-05-10T15:00:00.000Z.',
    'warning: backup: The disk is full',
    'error: backup: It is damaged',
  ]);
});

test('retries ever less often, up to once an hour, and reports changed errors', async () => {
  const full = new LakeError('The disk is full', { transient: true });
  const seen: number[] = [];
  const { run, clock, told } = daemon(
    freshLake(),
    [handCron('backup', NOON).job],
    async (_, stop) => {
      seen.push(clock.now());
      if (seen.length === 11) stop();
      if (seen.length === 10) throw new LakeError('It is locked', { transient: true });
      if (seen.length < 11) throw full;
      return {};
    },
  );
  await run();
  const waits = seen.slice(1).map((at, n) => (at - (seen[n] ?? 0)) / SECOND_MS);
  expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  expect(told).toEqual(['warning: backup: The disk is full', 'warning: backup: It is locked']);
});

test('runs at a slot without waiting for a retry, and resets the wait after success', async () => {
  const { job, ring } = handCron('backup', NOON);
  const seen: number[] = [];
  const { run, clock, told } = daemon(freshLake(), [job], async (_, stop) => {
    seen.push((clock.now() - NOON) / SECOND_MS);
    if (seen.length === 2 || seen.length === 3) ring(clock.now() + SECOND_MS); // while it is at work
    if (seen.length === 5) stop();
    if (seen.length === 3 || seen.length === 5) return {};
    throw new LakeError('The disk is full', { transient: true });
  });
  await run();
  expect(seen).toEqual([0, 30, 31, 32, 62]);
  expect(told).toHaveLength(2);
});

test('leaves unfinished work of a stop to the next daemon, without repeating finished work', async () => {
  const lake = freshLake();
  const jobs = ['feed', 'backup', 'export', 'prune'].map((name) => handCron(name, NOON));
  const first = daemon(
    lake,
    jobs.map(({ job }) => job),
    async (names, stop) => {
      if (names.includes('feed')) return { retry: ['backup', 'export'] };
      jobs[3]?.ring(NOON + MINUTE_MS); // comes while the daemon stops
      throw stop();
    },
  );
  await first.run();
  const batches: string[][] = [];
  const second = daemon(
    lake,
    jobs.map(({ job }) => job),
    async (names, stop) => {
      batches.push([...names]);
      stop();
      return {};
    },
  );
  await second.run();
  expect(batches).toEqual([['backup', 'export']]);
});

test('resumes the run of a dead process at the start, not at the next slot', async () => {
  const batches: string[][] = [];
  const { run, clock } = daemon(
    freshLake(),
    [handCron('feed', undefined).job],
    async (names, stop) => {
      batches.push([...names]);
      stop();
      return {};
    },
  );
  await run();
  expect(batches).toEqual([[]]);
  expect(clock.now()).toBe(NOON);
});

test('claims a slot later if it cannot be written now', async () => {
  const lake = freshLake();
  lake.sqlite.pragma('busy_timeout = 0');
  const other = new Database(lake.path);
  other.exec('begin immediate');
  const { job } = handCron('feed', NOON);
  const batches: string[][] = [];
  const { run, told } = daemon(lake, [job], async (names, stop) => {
    batches.push([...names]);
    if (other.inTransaction) other.exec('rollback');
    else stop();
    return {};
  });
  await run();
  other.close();
  expect(batches).toEqual([[], ['feed']]);
  expect(told).toEqual([expect.stringMatching(/^warning: schedule: .* is locked/)]);
});

test('stops a daemon after its lake was restored, without writing to the former one', async () => {
  const lake = freshLake();
  await backupLake(lake, { clock: virtualClock(NOON) });
  const { job, ring } = handCron('feed', NOON);
  const batches: string[][] = [];
  const { run } = daemon(lake, [job], async (names) => {
    batches.push([...names]);
    await restoreLake(lake.dataDir, undefined, virtualClock(NOON));
    ring(NOON + MINUTE_MS);
    return {};
  });
  await expect(run()).rejects.toThrow(
    /was replaced, as by a restore, while this process had it open/,
  );
  expect(batches).toHaveLength(1);
  expect(lake.sqlite.prepare('select count(*) from slots').pluck().get()).toBe(1);
});

test.each([
  ['15 2 * * *', 'UTC', '2026-05-10T12:00:00Z', '2026-05-10T02:15:00.000Z'],
  ['15 2 * * *', 'Europe/Berlin', '2026-05-10T12:00:00Z', '2026-05-10T00:15:00.000Z'],
  ['0 0 1 * *', 'UTC', '2026-05-10T12:00:00Z', '2026-05-01T00:00:00.000Z'],
  ['* * * * *', 'UTC', '2026-05-10T12:00:30Z', '2026-05-10T12:00:00.000Z'],
])('the slot of %s in %s before %s was %s', (expression, timezone, now, slot) => {
  const slotAt = new CronExpression('feed', expression, timezone).previousSlot(Date.parse(now));
  expect(new Date(slotAt ?? 0).toISOString()).toBe(slot);
});

test.each(['', 'tomorrow', '61 * * * *', '* * * * * *'])(
  'refuses the schedule %j',
  (expression) => {
    expect(() => new CronExpression('feed', expression, 'UTC')).toThrow(/schedule of job feed/);
  },
);

test('leaves no timers after reading a schedule', () => {
  const before = getTasks().size;
  const cron = new CronExpression('feed', '15 2 * * *', 'UTC');
  expect(cron.slots(NOON, NOON + 24 * HOUR_MS)).toHaveLength(1);
  expect(getTasks().size).toBe(before);
});

test('wakes at each slot, also at one that passed during a batch', async () => {
  const cron = new CronExpression('feed', '*/20 * * * *', 'UTC');
  const seen: number[] = [];
  const { run, clock } = daemon(freshLake(), [{ name: 'feed', cron }], async (_, stop) => {
    seen.push((clock.now() - NOON) / MINUTE_MS);
    if (seen.length === 2) clock.advanceTo(clock.now() + 50 * MINUTE_MS);
    if (seen.length === 4) stop();
    return {};
  });
  await run();
  expect(seen).toEqual([0, 20, 70, 80]);
});

/** Slots of `YYYY-MM-DD..YYYY-MM-DD`, as `MM-DDTHH:mm` in UTC. */
const slotsOf = (expression: string, timezone: string, days: string): string => {
  const [from, to] = days.split('..').map((day) => Date.parse(day)) as [number, number];
  const slots = new CronExpression('feed', expression, timezone).slots(from - 1, to);
  return slots.map((at) => new Date(at).toISOString().slice(5, 16)).join(' ');
};

test.each([
  ['2:15', 'Europe/Berlin', '2026-03-28..2026-03-31', '03-28T01:15 03-29T01:00 03-30T00:15'],
  ['2:15', 'Europe/Berlin', '2026-10-24..2026-10-27', '10-24T00:15 10-25T00:15 10-26T01:15'],
  ['2:30', 'America/New_York', '2026-03-07..2026-03-10', '03-07T07:30 03-08T07:00 03-09T06:30'],
  ['1:30', 'America/New_York', '2026-10-31..2026-11-03', '10-31T05:30 11-01T05:30 11-02T06:30'],
  ['2:15', 'Australia/Lord_Howe', '2026-10-03..2026-10-05', '10-03T15:30 10-04T15:15'],
  ['0:30', 'America/Santiago', '2026-09-05..2026-09-07', '09-05T04:30 09-06T04:00'],
  ['2:15', 'Asia/Kathmandu', '2026-03-28..2026-03-30', '03-28T20:30 03-29T20:30'],
])(
  'a job at %s in %s is due once in the night the clocks change',
  (time, timezone, days, slots) => {
    const [hour, minute] = time.split(':').map(Number);
    expect(slotsOf(`${minute} ${hour} * * *`, timezone, days)).toBe(slots);
  },
);

test.each([
  ['spring', '2026-03-29..2026-03-30', 24],
  ['autumn', '2026-10-25..2026-10-26', 24],
])('runs an hourly job every elapsed hour: %s', (_, day, slots) => {
  expect(slotsOf('5 * * * *', 'Europe/Berlin', day).split(' ')).toHaveLength(slots);
});

test('finds a slot that the start of summer time skips', () => {
  const cron = new CronExpression('feed', '15 2 * * *', 'Europe/Berlin');
  const at = Date.parse('2026-03-29T01:00:00Z');
  expect(cron.previousSlot(at + 40 * MINUTE_MS)).toBe(at);
  expect(cron.previousSlot(at - MINUTE_MS)).toBe(Date.parse('2026-03-28T01:15:00Z'));
});

test('catches up within the hour a slot that passed while the machine slept', async () => {
  const lake = freshLake();
  const batches: string[] = [];
  const { job } = handCron('feed', undefined);
  let slotAt: number | undefined;
  job.cron.previousSlot = () => slotAt;
  const { run, clock } = daemon(lake, [job, handCron('trends', NOON).job], async (names, stop) => {
    batches.push(names.join());
    slotAt = NOON + MINUTE_MS; // comes after the start, and nobody rings
    if (names.includes('feed')) stop();
    return { resumesAt: null };
  });
  await run();
  expect(batches).toEqual(['trends', 'feed']);
  expect(clock.now() - NOON).toBeLessThanOrEqual(HOUR_MS + MINUTE_MS);
});
