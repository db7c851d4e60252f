import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiClient, RawResponse } from '../../../src/upstream/client.ts';
import { NoResponseError } from '../../../src/upstream/errors.ts';
import { judge } from '../../../src/upstream/judge.ts';
import type { UpstreamRequest } from '../../../src/upstream/request.ts';
import { QuotaSpentError, ServiceDownError } from '../../../src/upstream/throttle/errors.ts';
import { LakeLedger } from '../../../src/upstream/throttle/lake-ledger.ts';
import { Throttle } from '../../../src/upstream/throttle/throttle.ts';
import { freshLake, Machine, worstMinute } from './machine.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { lake, remove } = freshLake();
afterAll(remove);
beforeEach(() => {
  lake.sqlite.exec(
    'delete from responses; delete from calls; delete from pause; delete from quota_hint',
  );
});

type Reply = number | 'away' | { status: number; headers: Record<string, string> };
const requestFor = (id: number): UpstreamRequest => ({
  kind: 'growth',
  id: `tt_${id}`,
  platform: 'tiktok',
});

/** A far end that answers each call as `reply` says, after 100 ms, and remembers when they came. */
const farEnd = (machine: Machine, reply: (call: number, id: string) => Reply) => {
  const arrivals: number[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const client: ApiClient = {
    send: async (asked): Promise<RawResponse> => {
      arrivals.push(machine.trueAt);
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      const stated = reply(arrivals.length, 'id' in asked ? asked.id : '');
      await machine.clock().sleep(100);
      inFlight -= 1;
      if (stated === 'away') throw new NoResponseError('Nothing listens there.');
      const { status, headers } =
        typeof stated === 'number' ? { status: stated, headers: {} } : stated;
      return { status, headers, body: Buffer.from('{}') };
    },
    close: async () => {},
  };
  return {
    client,
    arrivals,
    get mostInFlight() {
      return mostInFlight;
    },
  };
};

const limits = {
  ratePerMinute: 60,
  callsPerMonth: 1000,
  quotaReset: 'calendar',
  timeoutMs: 30_000,
};

const throttleOf = (
  machine: Machine,
  client: ApiClient,
  more: { maxCalls?: number; sender?: string; onWait?: (ms: number, why: string) => void } = {},
) => {
  const clock = machine.clock();
  const ledger = new LakeLedger(lake, clock, limits, more.sender ?? 'one');
  const { sender: _, ...given } = more;
  return new Throttle({
    ledger,
    client,
    clock,
    random: () => 0.5,
    judge,
    keepUnread: () => {},
    ...given,
  });
};

/** Asks for `ids` with four at work, as a run does; what became of each. */
const askAll = async (
  throttle: Throttle,
  ids: readonly number[],
): Promise<PromiseSettledResult<unknown>[]> => {
  const waiting = [...ids];
  const results: PromiseSettledResult<unknown>[] = [];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const [result] = await Promise.allSettled([
        throttle
          .request(requestFor(id), (response) => response.status, { runId: null, job: 'growth' })
          .then(({ settle }) => settle(0)),
      ]);
      results.push(result);
    }
  };
  await Promise.all([1, 2, 3, 4].map(work));
  return results;
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
const rejections = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

describe('429 and 503', () => {
  test.each([
    [{ 'retry-after': '40' }, 40 * SECOND],
    [
      { 'retry-after': 'Thu, 01 Jan 2099 00:01:00 GMT', date: 'Thu, 01 Jan 2099 00:00:00 GMT' },
      MINUTE,
    ],
    [{}, 5 * SECOND],
    [{ 'retry-after': '0' }, 5 * SECOND],
    [{ 'retry-after': '-30' }, 5 * SECOND],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 5 * SECOND],
    [{ 'retry-after': '99999999999' }, 5 * SECOND],
    [{ 'retry-after': 'presently' }, 5 * SECOND],
  ])('%j: nobody sends for %i ms, in any process', async (headers, waitMs) => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) => (call === 6 ? { status: 429, headers } : 200));
    const one = throttleOf(machine, end.client);
    const results = await askAll(one, upTo(6));
    const limitedAt = end.arrivals[5] as number;
    const other = throttleOf(machine, end.client, { sender: 'two' });
    expect(rejections([...results, ...(await askAll(other, upTo(2)))])).toEqual([]);
    const later = end.arrivals.filter((at) => at > limitedAt + 100);
    expect(Math.min(...later) - limitedAt).toBeGreaterThanOrEqual(waitMs);
    expect(Math.min(...later) - limitedAt).toBeLessThan(waitMs + 2 * SECOND);
  });

  test('a wait longer than a quarter of an hour ends the run as paused, until then', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, () => ({ status: 429, headers: { 'retry-after': '7200' } }));
    const [reason] = rejections(await askAll(throttleOf(machine, end.client), [1]));
    expect(reason).toBeInstanceOf(QuotaSpentError);
    expect((reason as QuotaSpentError).resumesAt).toBeGreaterThanOrEqual(NOON + 7200 * SECOND);
    expect(machine.trueAt).toBeLessThan(NOON + SECOND);
    expect(end.arrivals).toHaveLength(1);
  });

  test('a request that is turned away for long is paused, not failed', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) => (call === 1 ? 200 : 429));
    const reasons = rejections(await askAll(throttleOf(machine, end.client), upTo(3)));
    expect(reasons.map((reason) => reason instanceof QuotaSpentError)).toEqual([true, true]);
    expect(end.arrivals.length).toBeLessThan(30);
  });
});

describe('a service that is away', () => {
  test('never reached: one call at a time, given up within seconds', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, () => 'away');
    const reasons = rejections(await askAll(throttleOf(machine, end.client), upTo(20)));
    expect(reasons[0]).toBeInstanceOf(ServiceDownError);
    expect(String(reasons[0])).toContain('TRENDLAKE_BASE_URL');
    expect([end.arrivals.length, end.mostInFlight]).toEqual([4, 1]);
    expect(machine.trueAt - NOON).toBeLessThan(15 * SECOND);
  });

  test('lost on the way: five failures, then one call a minute until it is back; nothing is lost', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) =>
      call > 5 && machine.trueAt < NOON + 8 * MINUTE ? 'away' : 200,
    );
    const results = await askAll(throttleOf(machine, end.client), upTo(40));
    expect(rejections(results)).toEqual([]);
    const during = end.arrivals.filter((at) => at > NOON + MINUTE && at < NOON + 8 * MINUTE);
    expect(during.length).toBeGreaterThan(4);
    expect(during.length).toBeLessThanOrEqual(8);
    for (const [i, at] of during.slice(1).entries())
      expect(at - (during[i] as number)).toBeGreaterThanOrEqual(MINUTE);
  });

  test('for longer than a quarter of an hour: the run ends', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) => (call === 1 ? 200 : 'away'));
    const reasons = rejections(await askAll(throttleOf(machine, end.client), upTo(9)));
    expect(reasons.every((reason) => reason instanceof ServiceDownError)).toBe(true);
    expect(machine.trueAt - NOON).toBeLessThan(20 * MINUTE);
    expect(end.arrivals.length).toBeLessThan(30);
  });

  test('one request that always fails is that one’s failure', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (_, id) => (id === 'tt_3' ? 500 : 200));
    const results = await askAll(throttleOf(machine, end.client), upTo(30));
    expect(rejections(results).map(String)).toEqual([expect.stringContaining('500')]);
  });
});

describe('admission', () => {
  test('keeps the pace, retries included', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) => (call % 3 === 0 ? 500 : 200));
    await askAll(throttleOf(machine, end.client), upTo(150));
    expect(worstMinute(end.arrivals)).toBe(60);
  });

  test('--max-calls counts retries and pauses, however many are at work', async () => {
    const machine = new Machine(NOON, true);
    const end = farEnd(machine, (call) => (call === 2 ? 500 : 200));
    const reasons = rejections(
      await askAll(throttleOf(machine, end.client, { maxCalls: 7 }), upTo(20)),
    );
    expect(end.arrivals).toHaveLength(7);
    expect(reasons[0]).toMatchObject({
      message: expect.stringContaining('--max-calls'),
      resumesAt: null,
    });
  });

  test('a service that counts fewer calls left is believed', async () => {
    const machine = new Machine(NOON, true);
    const headers = (left: number) => ({
      'ratelimit-policy': '"minute";q=60;w=60, "month";q=1000;w=2678400',
      ratelimit: `"minute";r=50;t=1, "month";r=${left};t=864000`,
    });
    const end = farEnd(machine, (call) => ({
      status: 200,
      headers: headers(Math.max(0, 5 - call)),
    }));
    const throttle = throttleOf(machine, end.client);
    const reasons = rejections(await askAll(throttle, upTo(20)));
    expect(end.arrivals.length).toBeLessThanOrEqual(5);
    expect(reasons[0]).toBeInstanceOf(QuotaSpentError);
    expect((reasons[0] as Error).message).toContain('same key');
  });

  test.each([
    ['in their order', () => [0, 2]],
    ['later ones first', (call: number) => [6 - (call % 4) * 2, 1]],
    ['later ones first, told late', (call: number) => [6 - (call % 4) * 2, (call % 4) * 3]],
    ['by turns', (call: number) => (call % 2 === 0 ? [0, 5] : [4, 0])],
  ])(
    'a smaller month than configured is spent to its last call and none more leaves, where calls overlap and are counted %s',
    async (_, stepsOf) => {
      for (const quota of [6, 7, 8, 9, 10, 11]) {
        lake.sqlite.exec('delete from calls; delete from quota_hint; delete from pause');
        const machine = new Machine(NOON, true);
        const underWay = async (steps = 0): Promise<void> => {
          for (let step = 0; step < steps; step++) await machine.clock().sleep(10);
        };
        let [sent, counted] = [0, 0];
        const client: ApiClient = {
          send: async () => {
            sent += 1;
            const [there, back] = stepsOf(sent);
            await underWay(there);
            counted += 1;
            const left = quota - counted;
            await underWay(back);
            const ratelimit = `"month";r=${Math.max(0, left)};t=864000`;
            const headers = { 'ratelimit-policy': '"month";q=1000;w=2678400', ratelimit };
            return { status: left < 0 ? 429 : 200, headers, body: Buffer.from('{}') };
          },
          close: async () => {},
        };
        const reasons = rejections(await askAll(throttleOf(machine, client), upTo(20)));
        expect(counted).toBe(quota);
        expect(reasons).toHaveLength(20 - quota);
        expect(reasons[0]).toBeInstanceOf(QuotaSpentError);
      }
    },
  );

  test.each([
    ['', 0, 0],
    [', the clock set back since', -26 * HOUR, 0],
    [', the clock set back before its hint', -26 * HOUR, 1],
  ])(
    'a call in flight when its process was killed may take the last one as long as it may last, and it is reported%s',
    async (_, stepMs, hintAfterStep) => {
      const machine = new Machine(NOON, true);
      const killed = new LakeLedger(lake, machine.clock(), limits, 'killed');
      const admitted = (): number => {
        const admission = killed.admit({ runId: null, job: 'growth', request: 'GET /growth' });
        if (!('callId' in admission)) throw new Error('refused');
        return admission.callId;
      };
      const [, ended] = [admitted(), admitted()];
      const note = (): void => {
        const { now, monotonic } = machine.clock();
        const at = { finishedAt: now(), endedMono: monotonic() };
        const outcome = { status: 200, error: null, ...at, sent: true, rowsChanged: 0 };
        killed.settle(ended, outcome, {
          'ratelimit-policy': '"month";q=1000;w=2678400',
          ratelimit: '"month";r=1;t=864000',
        });
      };
      if (hintAfterStep === 0) note();
      machine.stepWall(stepMs);
      if (hintAfterStep === 1) note();
      const told: string[] = [];
      const end = farEnd(machine, () => 200);
      const onWait = (_waitMs: number, why: string): unknown => told.push(why);
      const throttle = throttleOf(machine, end.client, { sender: 'next', onWait });
      expect(rejections(await askAll(throttle, [1]))).toEqual([]);
      expect(end.arrivals[0]).toBeLessThanOrEqual(NOON + limits.timeoutMs + SECOND);
      expect(told.every((why) => why.includes('in flight'))).toBe(true);
      if (stepMs === 0) expect(told).not.toEqual([]);
    },
  );

  test('another user of the key inside the minute makes everybody wait as the service says', async () => {
    const machine = new Machine(NOON, true);
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '30',
    };
    const end = farEnd(machine, (call) => (call === 1 ? { status: 200, headers } : 200));
    await askAll(throttleOf(machine, end.client), upTo(10));
    const later = end.arrivals.filter((at) => at > NOON + SECOND);
    expect(later.length).toBeGreaterThanOrEqual(5);
    expect(Math.min(...later) - NOON).toBeGreaterThanOrEqual(30 * SECOND);
  });
});
