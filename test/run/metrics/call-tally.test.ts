import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallTally } from '../../../src/run/metrics/call-tally.ts';
import { freshLake } from '../../support/fresh.ts';

type Step =
  | { do: 'send'; job: string }
  | { do: 'settle'; nth: number; status: number | null; error: string | null }
  | { do: 'snapshot' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('send' as const), job: fc.constantFrom('feed', 'growth') }),
  fc.record({
    do: fc.constant('settle' as const),
    nth: fc.nat(9),
    status: fc.constantFrom(200, 404, 429, 500, 503, null),
    error: fc.constantFrom(null, 'in words'),
  }),
  fc.record({ do: fc.constant('snapshot' as const) }),
);

test('counts every settled call once', () => {
  const lake = freshLake();
  const { sqlite } = lake;
  const send = sqlite
    .prepare(
      "insert into calls (job, request, sent_at, sender) values (?, 'GET /', 1, '') returning id",
    )
    .pluck();
  const settle = sqlite.prepare(
    'update calls set finished_at = ?, status = ?, error = ? where id = ?',
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      sqlite.exec('delete from calls');
      const tally = new CallTally(lake);
      const open: number[] = [];
      let settled = 0;
      for (const { do: what, ...step } of [...steps, { do: 'snapshot' as const }]) {
        if ('job' in step) open.push(send.get(step.job) as number);
        else if ('nth' in step && open.length > 0) {
          const [id] = open.splice(step.nth % open.length, 1);
          settle.run(++settled, step.error === null ? 200 : step.status, step.error, id);
        } else if (what === 'snapshot') {
          const { calls, unsettled } = tally.update();
          expect(unsettled).toBe(open.length);
          expect(calls.reduce((sum, { count }) => sum + count, 0)).toBe(settled);
        }
      }
      const after = tally
        .update()
        .calls.map((row) => JSON.stringify(row))
        .sort();
      const anew = new CallTally(lake)
        .update()
        .calls.map((row) => JSON.stringify(row))
        .sort();
      expect(after).toEqual(anew);
    }),
  );
});
