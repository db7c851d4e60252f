import { expect, test } from 'vitest';
import * as faults from '../../../fixtures/faults.ts';
import {
  type Fault,
  type FaultRule,
  respondJson,
  startFaultyUpstream,
} from '../../../fixtures/faulty-upstream.ts';
import {
  expectFilledWhole,
  SCENARIOS,
  startCommand,
  stop,
  until,
} from '../../support/stop-scenarios.ts';
import { syncOnce } from '../../support/sync-once.ts';

const FOR_EVER = Number.POSITIVE_INFINITY;
const STOPS = Number(process.env.PROVE_STOPS ?? 10);
/** Promised to operators. Supervisors wait this long before they kill. */
const WITHIN_MS = 10_000;

const slowly: Fault = ({ response, body }) =>
  void setTimeout(() => respondJson(response, body), 100);

test.each<[string, NodeJS.Signals, FaultRule[], 'complete' | 'paused']>([
  ['between calls', 'SIGTERM', [{ fault: slowly, times: FOR_EVER }], 'complete'],
  [
    'while a call hangs',
    'SIGTERM',
    [{ fault: faults.hang, after: 3, times: FOR_EVER }],
    'complete',
  ],
  [
    'while waiting as long as the service asked',
    'SIGINT',
    [{ fault: faults.status(429, { 'retry-after': '600' }), after: 3, times: FOR_EVER }],
    'paused',
  ],
])(
  'a signal %s: everything committed, exit code 75, the next sync goes on',
  async (_, signal, rules, next) => {
    const running = await startCommand(['sync', '--json'], { rules });
    await until(running, () => running.upstream.arrivals.length >= 4);
    const { code } = await stop(running, [signal]);
    expect(code).toBe(75);
    expect(JSON.parse(running.out)).toMatchObject({ outcome: 'paused' });
    expectFilledWhole(running);
    const well = await startFaultyUpstream();
    const resumed = await syncOnce(running.dataDir, well.baseUrl);
    expect(resumed.summary.outcome).toBe(next);
    expect(well.arrivals.length === 0).toBe(next === 'paused'); // a wait outlives its process
    if (next === 'complete') expect(resumed.rows.videos).toHaveLength(240);
    await well.close();
  },
);

test('stops immediately on a second signal', async () => {
  const running = await startCommand(['sync', '--json'], {
    rules: [{ fault: faults.hang, times: FOR_EVER }],
  });
  await until(running, () => running.upstream.arrivals.length >= 1);
  const { code } = await stop(running, ['SIGTERM', 'SIGINT']);
  expect([75, 130, 143]).toContain(code);
  expectFilledWhole(running);
});

test(`${STOPS} of ${STOPS} processes asked to stop did, within ${WITHIN_MS / 1000} s, whatever they were at`, async () => {
  const slowest = new Map<string, number>();
  for (let n = 0; n < STOPS; n++) {
    const scenario = SCENARIOS[n % SCENARIOS.length] ?? SCENARIOS[0];
    if (scenario === undefined) continue;
    const { name } = scenario;
    const running = await scenario.start(Math.floor(n / SCENARIOS.length));
    const { code, tookMs } = await stop(running, [n % 5 === 4 ? 'SIGINT' : 'SIGTERM']);
    expect(scenario.codes, `${name}: ${running.err}`).toContain(code);
    expect(tookMs, name).toBeLessThan(WITHIN_MS);
    slowest.set(name, Math.max(tookMs, slowest.get(name) ?? 0));
  }
  const each = [...slowest].map(([name, ms]) => `${name} ${Math.round(ms)} ms`);
  process.stdout.write(
    `${STOPS} of ${STOPS} stopped, slowest ${Math.round(Math.max(...slowest.values()))} ms (${each.join(', ')})\n`,
  );
}, 3_600_000);
