import { afterAll, beforeEach, expect, test } from 'vitest';
import type { CountedKey } from '../../../src/upstream/throttle/counted-key.ts';
import { countedKeys } from '../../../src/upstream/throttle/key-limits.ts';
import { LakeLedger } from '../../../src/upstream/throttle/lake-ledger.ts';
import { answeredAt, freshLake, Machine } from './machine.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const CALL = { runId: null, job: 'feed', request: 'GET /feed/tiktok' };
const LIMITS = { ratePerMinute: 2, callsPerMonth: 5, quotaReset: 'calendar', timeoutMs: 5000 };

const { lake, remove } = freshLake();
afterAll(remove);
let machine: Machine;
beforeEach(() => {
  lake.sqlite.exec('delete from calls; delete from pause; delete from quota_hint');
  machine = new Machine(NOON, true);
});

const [a, b] = countedKeys([{ name: 'a' }, { name: 'b' }]);
const ledgerOf = (key: CountedKey | undefined) =>
  new LakeLedger(lake, machine.clock(), { ...LIMITS, key }, 'one');
/** Asks until it is refused; the calls are never heard of again, as after a kill. */
const admitted = (ledger: LakeLedger): number => {
  let calls = 0;
  while ('callId' in ledger.admit(CALL)) calls += 1;
  return calls;
};
const HELD_MS = 66_000; // of a call whose end nobody knows

test('each key has its own minute, its own month and its own pause', () => {
  const [one, other] = [ledgerOf(a), ledgerOf(b)];
  expect([admitted(one), admitted(other)]).toEqual([2, 2]);
  machine.trueAt += HELD_MS;
  one.pause(30_000, 'asked to wait');
  expect([admitted(one), admitted(other)]).toEqual([0, 2]);
  machine.trueAt += HELD_MS;
  expect([admitted(one), admitted(other)]).toEqual([2, 1]);
  expect(one.spent()).toMatchObject({ month: { spent: 4, remaining: 1 }, byHand: 4 });
  expect(other.spent().month).toMatchObject({ spent: 5, remaining: 0 });
});

test('what a service says to one key is believed of that one alone', () => {
  const [one, other] = [ledgerOf(a), ledgerOf(b)];
  const call = one.admit(CALL);
  if (!('callId' in call)) throw new Error('refused');
  one.settle(call.callId, answeredAt(machine), {
    ratelimit: '"month";r=0;t=86400',
    'ratelimit-policy': '"month";q=5;w=2592000',
  });
  expect(one.admit(CALL)).toHaveProperty('spentUntil');
  expect(other.admit(CALL)).toHaveProperty('callId');
  expect([one.spent().month.remaining, other.spent().month.remaining]).toEqual([0, 4]);
});

test('calls of before count in the minute of every key, and in the month of the first', () => {
  expect(admitted(ledgerOf(undefined))).toBe(2);
  const [one, other] = [ledgerOf(a), ledgerOf(b)];
  expect([admitted(one), admitted(other)]).toEqual([0, 0]);
  machine.trueAt += HELD_MS;
  expect([admitted(one), admitted(other)]).toEqual([2, 2]);
  expect([one.spent().month.spent, other.spent().month.spent]).toEqual([4, 2]);
});

test('a renamed key is not faster', () => {
  expect(admitted(ledgerOf(b))).toBe(2);
  const [, renamed] = countedKeys([{ name: 'a' }, { name: 'c' }]);
  expect(admitted(ledgerOf(renamed))).toBe(0);
  machine.trueAt += HELD_MS;
  expect(admitted(ledgerOf(renamed))).toBe(2);
});

test('without several keys every call counts, whatever key it was made with', () => {
  expect([admitted(ledgerOf(a)), admitted(ledgerOf(b))]).toEqual([2, 2]);
  const only = ledgerOf(undefined);
  expect(admitted(only)).toBe(0);
  expect(only.spent().month).toMatchObject({ spent: 4, remaining: 1 });
});

test('after a reboot the calls of each key are met by that key', () => {
  expect([admitted(ledgerOf(a)), admitted(ledgerOf(b))]).toEqual([2, 2]);
  machine.trueAt += 10 * HELD_MS;
  machine.reboot();
  const again = ledgerOf(a);
  expect(admitted(again)).toBe(0);
  machine.trueAt += HELD_MS;
  expect(admitted(again)).toBe(2);
});

test.each([true, false])(
  "a key whose rate was lowered does not push another's minute out of view, boots named: %s",
  (namesBoots) => {
    machine = new Machine(NOON, namesBoots);
    const fast = { ...LIMITS, callsPerMonth: 1000 };
    expect(admitted(ledgerOf(a))).toBe(2);
    expect(
      admitted(
        new LakeLedger(lake, machine.clock(), { ...fast, ratePerMinute: 99, key: b }, 'one'),
      ),
    ).toBe(99);
    const slower = new LakeLedger(lake, machine.clock(), { ...fast, key: a }, 'one');
    expect(admitted(slower)).toBe(0);
    machine.trueAt += HELD_MS;
    expect(admitted(slower)).toBe(2);
  },
);
