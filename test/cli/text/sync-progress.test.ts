import { expect, test } from 'vitest';
import type { Clock } from '../../../src/base/clock.ts';
import { CliIo } from '../../../src/cli/context/io.ts';
import { SyncProgress } from '../../../src/cli/text/sync-progress.ts';
import { surroundings } from '../../support/surroundings.ts';

/** A clock that stands still; whoever sleeps on it wakes when it is moved past. */
const handClock = () => {
  let at = 0;
  let sleepers: { until: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => at,
    monotonic: () => at,
    sleep: (ms, signal) =>
      new Promise((wake, fail) => {
        sleepers.push({ until: at + ms, wake });
        signal?.addEventListener('abort', () => fail(signal.reason));
      }),
  };
  const move = async (ms: number): Promise<void> => {
    at += ms;
    const due = sleepers.filter(({ until }) => until <= at);
    sleepers = sleepers.filter(({ until }) => until > at);
    for (const { wake } of due) wake();
    await new Promise((done) => setImmediate(done));
  };
  return { clock, move };
};

const PROGRESS = { job: 'growth', request: 'GET /', ended: 1, planned: 14, callsSent: 60 };
const WHY = "the key's calls of this minute are spent";
const linesOf = (drawn: readonly string[]) => drawn.map((text) => text.replace('\r\u001b[2K', ''));

test('on a terminal a wait moves each second: for what, how long, what was spent', async () => {
  const { clock, move } = handClock();
  const { around, drawn } = surroundings({ clock, isTerminal: true });
  const progress = new SyncProgress(new CliIo(around));
  progress.show({ ...PROGRESS, remainingMs: 4000 });
  progress.wait(3000, WHY);
  for (let second = 0; second < 4; second++) await move(1000);
  progress.clear();
  expect(linesOf(drawn)).toEqual([
    'growth: 1 of 14 requests, 60 calls spent, 4 s left',
    ...[3, 2, 1].map(
      (left) => `Waiting ${left} s: ${WHY} (growth: 1 of 14 requests, 60 calls spent)`,
    ),
    '',
  ]);
});

test('what is shown after a wait takes its place at once, and nothing ticks on', async () => {
  const { clock, move } = handClock();
  const { around, drawn } = surroundings({ clock, isTerminal: true });
  const progress = new SyncProgress(new CliIo(around));
  progress.wait(60_000, WHY);
  await move(1000);
  progress.show({ ...PROGRESS, remainingMs: null });
  await move(1000);
  await move(1000);
  expect(linesOf(drawn).at(-1)).toBe('growth: 1 of 14 requests, 60 calls spent');
});

test('elsewhere a longer wait is one line, however often it is looked at', () => {
  const { clock } = handClock();
  const { around, err, drawn } = surroundings({ clock });
  const progress = new SyncProgress(new CliIo(around));
  for (const ms of [43_000, 42_000, 1000]) progress.wait(ms, WHY);
  progress.wait(120_000, 'the service asked to');
  expect(err).toEqual([`Waiting 43 s: ${WHY}`, 'Waiting 2 min: the service asked to']);
  expect(drawn).toEqual([]);
});
