import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClockWatch } from '../../../src/upstream/ledger-postgres/clock-watch.ts';

const SERVER_AHEAD = 1_800_000_000_000;
const readings = fc.array(
  fc.record({
    restMs: fc.integer({ min: 0, max: 3_600_000 }),
    thereMs: fc.integer({ min: 0, max: 5000 }),
    backMs: fc.integer({ min: 0, max: 5000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

/** Reads a server's clock over a slow network; whether each reading agreed. */
const read = (
  watch: ClockWatch,
  from: number,
  made: readonly { restMs: number; thereMs: number; backMs: number }[],
  stepMs = 0,
): { mono: number; agreed: boolean[] } => {
  let mono = from;
  const agreed = made.map(({ restMs, thereMs, backMs }) => {
    const sent = mono + restMs;
    const serverAt = Math.floor(SERVER_AHEAD + stepMs + sent + thereMs);
    mono = sent + thereMs + backMs;
    return watch.agrees(serverAt, sent, mono);
  });
  return { mono, agreed };
};

test('a server whose clock runs on agrees, however slow the network is', () => {
  fc.assert(
    fc.property(readings, (made) => {
      expect(read(new ClockWatch(), 1000.5, made).agreed).not.toContain(false);
    }),
  );
});

test('a step by more than the network hides is noticed once, whichever way', () => {
  const quick = Array.from({ length: 5 }, () => ({ restMs: 1000, thereMs: 2, backMs: 2 }));
  for (const stepMs of [-60_000, -20, 20, 60_000]) {
    const watch = new ClockWatch();
    const { mono } = read(watch, 0, quick);
    expect(read(watch, mono, quick, stepMs).agreed).toEqual([false, true, true, true, true]);
  }
});
