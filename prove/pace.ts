import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '../src/base/durations.ts';
import { openLake } from '../src/lake/open.ts';
import { endProcess } from './pace/end-process.ts';
import { StrictUpstream, say } from './pace/strict-upstream.ts';

// A full-scale proof of the pace: two processes with endless work on one data directory at the beta
// tier, against a strict upstream with jitter, three of them killed with SIGKILL and started again.
//
//   npm run prove pace [-- --minutes N]

const RATE = 60;
const JITTER_MS = 400;
const TIMEOUT_MS = 5000; // how long a killed process's calls hold their slots beyond the minute
const CONCURRENCY = 4;
const PROCESSES = 2;
const KILLS = 3;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);

const upstream = await StrictUpstream.start(RATE, JITTER_MS);
const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-pace-'));
openLake(dataDir).close();
const start = (): ChildProcess =>
  spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'pace', 'worker.ts'),
      dataDir,
      upstream.url,
      ...[RATE, TIMEOUT_MS, CONCURRENCY].map(String),
    ],
    { stdio: 'inherit' },
  );

const startedAt = performance.now();
const workers = Array.from({ length: PROCESSES }, start);
const kills: number[] = [];
for (let kill = 1; kill <= KILLS; kill++) {
  const dueAt = startedAt + (minutes * MINUTE_MS * kill) / (KILLS + 1);
  await delay(dueAt - performance.now());
  while (upstream.underWay < CONCURRENCY) await delay(1); // a kill in mid-flight is the worst one
  const victim = kill % PROCESSES;
  kills.push(performance.now());
  await endProcess(workers[victim] as ChildProcess, 'SIGKILL');
  workers[victim] = start();
}
await delay(startedAt + minutes * MINUTE_MS - performance.now());
for (const worker of workers) await endProcess(worker, 'SIGTERM');
await upstream.stop();

const lake = openLake(dataDir);
const ledger = lake.sqlite.prepare('select count(*) from calls').pluck().get() as number;
lake.close();
rmSync(dataDir, { recursive: true, force: true });

const { arrivals, worst, refused } = upstream;
const faults = kills.map((at) => [at, at + TIMEOUT_MS + MINUTE_MS + JITTER_MS] as const);
/** Share of the pace used: 60 s over the time from a call to the 60th after it, on average. */
const useOfPace = (counts: (from: number, to: number) => boolean): string => {
  const spans = arrivals.flatMap((at, first) => {
    const nextAt = arrivals[first + RATE];
    return nextAt !== undefined && counts(at, nextAt) ? [nextAt - at] : [];
  });
  const spanMs = spans.reduce((sum, ms) => sum + ms, 0) / spans.length;
  return `${((100 * MINUTE_MS) / spanMs).toFixed(2)} % (${spans.length} spans)`;
};
const isClean = (from: number, to: number): boolean =>
  faults.every(([killedAt, overAt]) => to < killedAt || from > overAt);

say('minutes, processes, kills', `${minutes}, ${PROCESSES}, ${kills.length}`);
upstream.say();
say('use of the pace, no fault', useOfPace(isClean));
say(
  'use of the pace, kills included',
  useOfPace(() => true),
);
say(
  'ledger minus upstream log',
  `${ledger - arrivals.length} (0 to ${kills.length * CONCURRENCY} allowed)`,
);
const holds =
  worst <= RATE &&
  refused === 0 &&
  ledger >= arrivals.length &&
  ledger - arrivals.length <= kills.length * CONCURRENCY;
process.exitCode = holds ? 0 : 1;
