import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openLake } from '../src/lake/open.ts';

// A full-scale proof of the pace: two processes with endless work on one data directory at the beta
// tier, against a strict upstream with jitter, three of them killed with SIGKILL and started again.
//
//   npm run prove:pace [-- --minutes N]

const RATE = 60;
const MINUTE_MS = 60_000;
const JITTER_MS = 400;
const TIMEOUT_MS = 5000; // how long a killed process's calls hold their slots beyond the minute
const CONCURRENCY = 4;
const PROCESSES = 2;
const KILLS = 3;
const ANSWER = JSON.stringify({ total: 0, page: 1, items: [] });

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);

/** Arrivals inside the 60 s that end with `arrivals[last]`. */
const inWindow = (arrivals: readonly number[], last: number): number => {
  let first = last;
  while (first > 0 && (arrivals[first - 1] as number) > (arrivals[last] as number) - MINUTE_MS)
    first -= 1;
  return last - first + 1;
};

const arrivals: number[] = [];
let refused = 0;
let underWay = 0;
/** A request travels for a part of its jitter, is counted, and is answered after the rest. */
const upstream = createServer(async (_, response) => {
  underWay += 1;
  const jitterMs = Math.random() * JITTER_MS;
  const beforeMs = Math.random() * jitterMs;
  await delay(beforeMs);
  arrivals.push(performance.now());
  const over = inWindow(arrivals, arrivals.length - 1) > RATE;
  if (over) refused += 1;
  await delay(jitterMs - beforeMs);
  underWay -= 1;
  response.writeHead(over ? 429 : 200, { 'content-type': 'application/json' }).end(ANSWER);
});
upstream.listen(0, '127.0.0.1');
await once(upstream, 'listening');

const dataDir = mkdtempSync(join(tmpdir(), 'trendlake-pace-'));
openLake(dataDir).close();
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
const start = (): ChildProcess =>
  spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'prove-pace-worker.ts'),
      dataDir,
      url,
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
  while (underWay < CONCURRENCY) await delay(1); // a kill in mid-flight is the worst one
  const victim = kill % PROCESSES;
  const worker = workers[victim] as ChildProcess;
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  kills.push(performance.now());
  await ended;
  workers[victim] = start();
}
await delay(startedAt + minutes * MINUTE_MS - performance.now());
for (const worker of workers) {
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}
await delay(JITTER_MS);
upstream.close();

const lake = openLake(dataDir);
const ledger = lake.sqlite.prepare('select count(*) from calls').pluck().get() as number;
lake.close();
rmSync(dataDir, { recursive: true, force: true });

const worst = Math.max(...arrivals.map((_, last) => inWindow(arrivals, last)));
const faults = kills.map((at) => [at, at + TIMEOUT_MS + MINUTE_MS + JITTER_MS] as const);
/** How much of the pace was used: 60 s over the time from a call to the 60th after it, on average. */
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
const shortestMs = Math.min(...arrivals.slice(RATE).map((at, i) => at - (arrivals[i] as number)));

const say = (what: string, figure: string): void => {
  process.stdout.write(`${what.padEnd(46)}${figure}\n`);
};
say('minutes, processes, kills', `${minutes}, ${PROCESSES}, ${kills.length}`);
say('calls that arrived', `${arrivals.length}`);
say('worst 60 s', `${worst} of ${RATE} allowed`);
say('answers 429', `${refused}`);
say('shortest time of 61 calls', `${(shortestMs / 1000).toFixed(3)} s`);
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
