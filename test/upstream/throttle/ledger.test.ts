import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { LakeLedger } from '../../../src/upstream/throttle/lake-ledger.ts';
import { monthWindow } from '../../../src/upstream/throttle/month.ts';
import { draws } from '../../support/draws.ts';
import { answeredAt, freshLake, Machine, worstMinute } from './machine.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const RATE = 3;
const TIMEOUT_MS = 5000;
const CALL = { runId: null, job: 'feed', request: 'GET /feed/tiktok' };
const limits = (callsPerMonth = 1000, quotaReset = 'calendar') => ({
  ratePerMinute: RATE,
  callsPerMonth,
  quotaReset,
  timeoutMs: TIMEOUT_MS,
});

const { lake, remove } = freshLake();
afterAll(remove);
beforeEach(() => {
  lake.sqlite.exec('delete from calls; delete from pause; delete from quota_hint');
});

/** Possible events, one after another. Fractions choose among them. */
const happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('ask' as const), process: fc.nat(1) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 30_000 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('kill' as const), process: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      ms: fc.oneof(fc.integer({ min: -90_000, max: 90_000 }), fc.integer({ min: -4e9, max: 4e9 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reboot' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limited' as const),
      process: fc.nat(1),
      ms: fc.integer({ min: 1, max: 120_000 }),
    }),
  },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

interface InFlight {
  process: number;
  callId: number;
  begunAt: number;
  arrived: boolean;
}

/** Two processes on one lake, and an upstream that writes down every arrival. */
class Simulation {
  readonly machine: Machine;
  readonly arrivals: number[] = [];
  readonly pauses: { from: number; to: number }[] = [];
  ledgers: LakeLedger[];
  inFlight: InFlight[] = [];
  lost = 0;
  #started = 0;
  constructor(namesBoots: boolean) {
    this.machine = new Machine(NOON, namesBoots);
    this.ledgers = [this.#process(), this.#process()];
  }
  #process(): LakeLedger {
    this.#started += 1;
    return new LakeLedger(lake, this.machine.clock(), limits(), `process ${this.#started}`);
  }
  #arrive(call: InFlight): void {
    if (!call.arrived) this.arrivals.push(this.machine.trueAt);
    call.arrived = true;
  }
  #kill(process: number): void {
    for (const call of this.inFlight.filter((each) => each.process === process))
      if (!call.arrived) this.lost += 1;
    this.inFlight = this.inFlight.filter((call) => call.process !== process);
    this.ledgers[process] = this.#process();
  }
  /** Requests arrive at the last instant they may, which is the worst for the minute before. */
  #answer(call: InFlight): void {
    this.#arrive(call);
    this.ledgers[call.process]?.settle(call.callId, answeredAt(this.machine));
    this.inFlight = this.inFlight.filter((other) => other !== call);
  }
  #pass(ms: number): void {
    this.machine.trueAt += ms;
    for (const call of this.inFlight)
      if (this.machine.trueAt - call.begunAt >= TIMEOUT_MS) {
        const now = this.machine.trueAt;
        this.machine.trueAt = call.begunAt + TIMEOUT_MS;
        this.#answer(call);
        this.machine.trueAt = now;
      }
  }
  happen(event: Happening): void {
    switch (event.kind) {
      case 'ask': {
        const admitted = this.ledgers[event.process]?.admit(CALL);
        if (admitted === undefined || !('callId' in admitted)) return;
        const begunAt = this.machine.trueAt;
        expect(this.pauses.some(({ from, to }) => begunAt > from && begunAt < to)).toBe(false);
        const call = { process: event.process, callId: admitted.callId, begunAt, arrived: false };
        this.inFlight.push(call);
        if (admitted.callId % 2 === 0) this.#arrive(call); // at once, or when it is answered
        return;
      }
      case 'answer': {
        const call = this.inFlight[event.which % Math.max(1, this.inFlight.length)];
        if (call !== undefined) this.#answer(call);
        return;
      }
      case 'pass':
        this.#pass(event.ms);
        return;
      case 'kill':
        this.#kill(event.process);
        return;
      case 'step':
        this.machine.stepWall(event.ms);
        return;
      case 'reboot':
        this.machine.reboot();
        this.pauses.length = 0; // of another boot: kept by the wall clock, as good as that is
        for (const process of [0, 1]) this.#kill(process);
        return;
      case 'limited':
        this.ledgers[event.process]?.pause(event.ms, 'The service answered 429.');
        this.pauses.push({ from: this.machine.trueAt, to: this.machine.trueAt + event.ms });
        return;
    }
  }
}

const run = (namesBoots: boolean, events: readonly Happening[]): Simulation => {
  lake.sqlite.exec('delete from calls; delete from pause');
  const simulation = new Simulation(namesBoots);
  for (const event of events) {
    if (!namesBoots && event.kind === 'limited') continue; // then pauses follow the wall clock
    simulation.happen(event);
  }
  return simulation;
};

describe('whatever happens', () => {
  for (const namesBoots of [true, false])
    test(`no more calls arrive in any minute than allowed, and all are in the ledger (boots ${namesBoots ? 'named' : 'not named'})`, () => {
      fc.assert(
        fc.property(fc.array(happening, { minLength: 20, maxLength: 120 }), (events) => {
          const { arrivals, inFlight, lost } = run(namesBoots, events);
          expect(worstMinute(arrivals)).toBeLessThanOrEqual(RATE);
          const rows = lake.sqlite.prepare('select count(*) from calls').pluck().get() as number;
          const underWay = inFlight.filter(({ arrived }) => !arrived).length;
          expect(rows).toBe(arrivals.length + underWay + lost);
        }),
        { numRuns: draws(300) },
      );
    });

  test('the month is never overspent by a clock that is behind after its first call', () => {
    const passing = fc.record({
      ms: fc.integer({ min: 61_000, max: 3 * 86_400_000 }),
      back: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        fc.integer({ min: 0, max: 40 * 86_400_000 }),
      ),
    });
    fc.assert(
      fc.property(fc.array(passing, { minLength: 20, maxLength: 60 }), (steps) => {
        lake.sqlite.exec('delete from calls');
        const machine = new Machine(NOON, true);
        const ledger = new LakeLedger(lake, machine.clock(), limits(10), 'one');
        const arrivals: number[] = [];
        for (const { ms, back: behindMs } of steps) {
          machine.trueAt += ms;
          const { startsAt } = monthWindow('calendar', machine.trueAt);
          const back = (arrivals.at(-1) ?? 0) >= startsAt ? behindMs : 0;
          machine.stepWall(-back);
          const admitted = ledger.admit(CALL);
          if ('callId' in admitted) arrivals.push(machine.trueAt);
          machine.stepWall(back); // found out and mended
        }
        const months = Map.groupBy(arrivals, (at) => monthWindow('calendar', at).startsAt);
        for (const calls of months.values()) expect(calls.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: draws(200) },
    );
  });
});

const ledgerAt = (at: number, given = limits()): { ledger: LakeLedger; machine: Machine } => {
  const machine = new Machine(at, true);
  return { ledger: new LakeLedger(lake, machine.clock(), given, 'one'), machine };
};
const spend = (ledger: LakeLedger, machine: Machine, calls: number): void => {
  for (let call = 0; call < calls; call++) {
    expect(ledger.admit(CALL)).toHaveProperty('callId');
    machine.trueAt += 70_000;
  }
};

describe('the month', () => {
  test('a call whose outcome is unknown counts as spent', () => {
    const { ledger, machine } = ledgerAt(NOON, limits(2));
    spend(ledger, machine, 2);
    expect(ledger.spent().month).toMatchObject({ limit: 2, spent: 2, remaining: 0 });
    expect(ledger.admit(CALL)).toMatchObject({ spentUntil: Date.UTC(2026, 1, 1) });
  });

  test('a clock that steps back over its edge frees nothing', () => {
    const { ledger, machine } = ledgerAt(Date.UTC(2026, 1, 1, 0, 1), limits(2));
    spend(ledger, machine, 2);
    machine.stepWall(-600_000);
    expect(ledger.admit(CALL)).toHaveProperty('spentUntil');
    machine.stepWall(600_000);
    expect(ledger.admit(CALL)).toHaveProperty('spentUntil');
  });

  test('a clock that once was years ahead does not block later months', () => {
    const { ledger, machine } = ledgerAt(NOON, limits(2));
    machine.stepWall(1e12);
    spend(ledger, machine, 1);
    machine.stepWall(-1e12);
    spend(ledger, machine, 1);
    expect(ledger.admit(CALL)).toHaveProperty('spentUntil');
    machine.trueAt = Date.UTC(2026, 2, 3);
    expect(ledger.admit(CALL)).toHaveProperty('callId'); // the call from the future counts once
  });

  test('rolling: calls come free thirty days after they were made', () => {
    const { ledger, machine } = ledgerAt(NOON, limits(2, 'rolling'));
    spend(ledger, machine, 2);
    expect(ledger.admit(CALL)).toMatchObject({ spentUntil: NOON + 30 * 86_400_000 });
    machine.trueAt = NOON + 30 * 86_400_000 + 1;
    expect(ledger.admit(CALL)).toHaveProperty('callId');
    expect(ledger.admit(CALL)).toHaveProperty('spentUntil');
  });

  test.each([
    ['calendar', '2026-11-30T23:59:00Z', '2026-12-01'],
    ['calendar', '2026-11-01T00:00:00Z', '2026-12-01'],
    ['anchor:15', '2026-11-14T23:59:00Z', '2026-11-15'],
    ['rolling', '2026-11-30T00:00:00Z', '2026-12-30'],
  ])('%s, spent by the service’s word at %s without a reset: free on %s', (reset, at, free) => {
    const { ledger, machine } = ledgerAt(Date.parse(at), limits(1000, reset));
    const { callId } = ledger.admit(CALL) as { callId: number };
    machine.trueAt += 1000;
    ledger.settle(callId, answeredAt(machine), { 'x-quota-remaining': '0' });
    expect(ledger.admit(CALL)).toMatchObject({ spentUntil: expect.any(Number) });
    const { spentUntil } = ledger.admit(CALL) as { spentUntil: number };
    expect(new Date(spentUntil).toISOString().slice(0, 10)).toBe(free);
    expect(ledger.spent().month.remaining).toBe(0);
    machine.trueAt = spentUntil;
    expect(ledger.spent().month.remaining).toBeGreaterThan(900);
  });

  test.each([
    ['calendar', '2026-02-28T23:59:59Z', '2026-02-01', '2026-03-01'],
    ['anchor:1', '2026-01-01T00:00:00Z', '2026-01-01', '2026-02-01'],
    ['anchor:31', '2026-02-28T00:00:00Z', '2026-02-28', '2026-03-31'],
    ['anchor:31', '2026-03-30T12:00:00Z', '2026-02-28', '2026-03-31'],
    ['anchor:31', '2028-02-29T12:00:00Z', '2028-02-29', '2028-03-31'],
    ['anchor:15', '2026-01-14T23:59:59Z', '2025-12-15', '2026-01-15'],
  ])('%s at %s: from %s to %s', (reset, now, from, to) => {
    expect(monthWindow(reset, Date.parse(now))).toEqual({
      startsAt: Date.parse(from),
      endsAt: Date.parse(to),
    });
  });
});

describe('the minute', () => {
  test('a slot is free again a minute after its response, not after its request', () => {
    const { ledger, machine } = ledgerAt(NOON);
    const calls = [1, 2, 3].map(() => ledger.admit(CALL) as { callId: number });
    machine.trueAt += 4000;
    for (const { callId } of calls) ledger.settle(callId, answeredAt(machine));
    machine.trueAt += 59_999;
    expect(ledger.admit(CALL)).toEqual({ waitMs: expect.any(Number) });
    machine.trueAt += 52;
    expect(ledger.admit(CALL)).toHaveProperty('callId');
  });

  test('after a reboot the first call waits a minute at most, and only once', () => {
    const { ledger, machine } = ledgerAt(NOON);
    for (const _ of [1, 2, 3]) {
      const { callId } = ledger.admit(CALL) as { callId: number };
      ledger.settle(callId, answeredAt(machine));
    }
    machine.trueAt += 3600_000;
    machine.reboot();
    const first = new LakeLedger(lake, machine.clock(), limits(), 'two');
    expect(first.admit(CALL)).toHaveProperty('waitMs');
    machine.trueAt += 60_051;
    expect(first.admit(CALL)).toHaveProperty('callId');
    machine.trueAt += 70_000;
    expect(new LakeLedger(lake, machine.clock(), limits(), 'three').admit(CALL)).toHaveProperty(
      'callId',
    );
  });
});
