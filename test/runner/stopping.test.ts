import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as faults from '../support/faults.ts';
import {
  answerJson,
  type Fault,
  type FaultRule,
  startFaultyUpstream,
} from '../support/faulty-upstream.ts';
import { freshFolder } from '../support/fresh.ts';
import { expectWhole } from '../support/lake-invariants.ts';
import { CONCURRENCY, KEY, syncOnce } from '../support/sync-once.ts';

const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'bin.js');
const FOR_EVER = Number.POSITIVE_INFINITY;
const slowly: Fault = ({ response, body }) =>
  void setTimeout(() => answerJson(response, body), 100);

/** A real `trendlake sync` that is sent signals once a request has arrived. */
const stopped = async (rules: FaultRule[], arrived: number, signals: NodeJS.Signals[]) => {
  const upstream = await startFaultyUpstream(rules);
  const dataDir = freshFolder();
  const child = spawn(process.execPath, [BIN, 'sync', '--json', '--no-export'], {
    env: {
      PATH: process.env.PATH,
      TRENDLAKE_DATA_DIR: dataDir,
      TRENDLAKE_BASE_URL: upstream.baseUrl,
      TRENDLAKE_API_KEY: KEY,
      TRENDLAKE_PLATFORMS: 'tiktok,youtube',
      TRENDLAKE_GROWTH_CALLS: '3',
      TRENDLAKE_CREATOR_CALLS: '2',
      TRENDLAKE_CONCURRENCY: String(CONCURRENCY),
    },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const exit = once(child, 'exit');
  while (upstream.arrivals.length < arrived && child.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve));
  const sentAt = performance.now();
  for (const signal of signals) child.kill(signal);
  const [code] = (await exit) as [number | null];
  const tookMs = performance.now() - sentAt;
  return { upstream, dataDir, code, out, err, tookMs };
};

// The issue asks for ten seconds; what is measured here is far below, and a hang would be endless.
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
    const { upstream, dataDir, code, out, tookMs } = await stopped(rules, 4, [signal]);
    expect(code).toBe(75);
    expect(tookMs).toBeLessThan(10_000);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'paused' });
    expect(out).not.toContain(KEY);
    const { arrivals } = upstream;
    expectWhole(dataDir, { arrivals, kills: 1, concurrency: CONCURRENCY });
    await upstream.close();
    const well = await startFaultyUpstream();
    const resumed = await syncOnce(dataDir, well.baseUrl);
    expect(resumed.summary.outcome).toBe(next);
    expect(well.arrivals.length === 0).toBe(next === 'paused'); // a wait outlives its process
    if (next === 'complete') expect(resumed.rows.videos).toHaveLength(240);
    await well.close();
  },
);

test('a second signal ends at once', async () => {
  const hanging = [{ fault: faults.hang, times: FOR_EVER }];
  const { upstream, dataDir, code } = await stopped(hanging, 1, ['SIGTERM', 'SIGINT']);
  expect([75, 130, 143]).toContain(code);
  expectWhole(dataDir, { arrivals: upstream.arrivals, kills: 1, concurrency: CONCURRENCY });
  await upstream.close();
});
