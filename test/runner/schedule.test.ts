import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, virtualClock } from '../../src/clock.ts';
import { LakeError } from '../../src/errors.ts';
import type { Lake } from '../../src/lake/open.ts';
import { cronOf } from '../../src/runner/cron.ts';
import { Schedule, type Scheduled } from '../../src/runner/schedule.ts';
import { freshLake } from '../support/fresh.ts';

const NOON = Date.UTC(2026, 4, 10, 12);

/** A job whose cron is moved by hand: `ring` is what the real one does when a slot comes. */
const handCron = (name: string, previous: number | undefined) => {
  let ring: (slotAt: number) => void = () => {};
  const job: Scheduled = {
    name,
    cron: {
      previousSlot: () => previous,
      slots: () => [],
      start: (onSlot) => {
        ring = onSlot;
        return () => {};
      },
    },
  };
  return { job, ring: (slotAt: number) => ring(slotAt) };
};

const daemon = (
  lake: Lake,
  jobs: Scheduled[],
  runJobs: (names: readonly string[], stop: () => Error) => Promise<{ resumesAt: number | null }>,
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
    signal: stopping.signal,
    jobs,
    runJobs: (names) => runJobs(names, stop),
    tell: (sentence) => void told.push(sentence),
  });
  return { run: () => schedule.run(), clock, told };
};

test('a slot missed while it was down is caught up once; jobs due together run together', async () => {
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

test('two daemons on one lake: each slot is done by one of them', async () => {
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

test('a paused batch is taken up again when calls are free', async () => {
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

test('stopped in the middle of a chore it ends as any other stop does', async () => {
  const { run, told } = daemon(freshLake(), [handCron('export', NOON).job], async (_, stop) => {
    throw stop();
  });
  await run();
  expect(told).toEqual([]);
});

test('when somebody else is syncing, the jobs stay due', async () => {
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
  expect(told).toEqual(['feed: Another sync is at work']);
});

test.each([
  ['15 2 * * *', 'UTC', '2026-05-10T12:00:00Z', '2026-05-10T02:15:00.000Z'],
  ['15 2 * * *', 'Europe/Berlin', '2026-05-10T12:00:00Z', '2026-05-10T00:15:00.000Z'],
  ['0 0 1 * *', 'UTC', '2026-05-10T12:00:00Z', '2026-05-01T00:00:00.000Z'],
  ['* * * * *', 'UTC', '2026-05-10T12:00:30Z', '2026-05-10T12:00:00.000Z'],
])('the slot of %s in %s before %s was %s', (expression, timezone, now, slot) => {
  const slotAt = cronOf('feed', expression, timezone).previousSlot(Date.parse(now));
  expect(new Date(slotAt ?? 0).toISOString()).toBe(slot);
});

test.each(['', 'tomorrow', '61 * * * *', '* * * * * *'])('%j is no schedule', (expression) => {
  expect(() => cronOf('feed', expression, 'UTC')).toThrow(/schedule of job feed/);
});
