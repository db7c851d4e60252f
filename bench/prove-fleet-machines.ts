import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type FleetWorld, say, startMachine } from './prove-fleet-world.ts';

const RATE = 60;
const MINUTE_MS = 60_000;
const JITTER_MS = 400;
const TIMEOUT_MS = 5000;
const CONCURRENCY = 4;
const MACHINES = 3;
const ANSWER = JSON.stringify({ total: 0, page: 1, items: [] });

/** Arrivals inside the 60 s that end with `at[last]`. */
const inWindow = (at: readonly number[], last: number): number => {
  let first = last;
  while (first > 0 && (at[first - 1] as number) > (at[last] as number) - MINUTE_MS) first -= 1;
  return last - first + 1;
};

/**
 * Three machines on one key at the beta tier, against a strict upstream with jitter. Each is killed once
 * and started again; so is the ledger's primary, whose standby is promoted.
 * @returns whether what must hold did
 */
export const proveMachines = async (world: FleetWorld, minutes: number): Promise<boolean> => {
  const { pair, db } = world;
  const arrivals: number[] = [];
  const arrived = new Map<string, number>();
  let refused = 0;
  let underWay = 0;
  /** A request travels for a part of its jitter, is counted, and is answered after the rest. */
  const upstream = createServer(async ({ url = '' }, response) => {
    underWay += 1;
    const jitterMs = Math.random() * JITTER_MS;
    const beforeMs = Math.random() * jitterMs;
    await delay(beforeMs);
    arrivals.push(performance.now());
    const id = /videos\/([^/]+)\//.exec(url)?.[1] ?? '';
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    const over = inWindow(arrivals, arrivals.length - 1) > RATE;
    if (over) refused += 1;
    await delay(jitterMs - beforeMs);
    underWay -= 1;
    response.writeHead(over ? 429 : 200, { 'content-type': 'application/json' }).end(ANSWER);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;

  const machine = (each: number): ChildProcess =>
    startMachine(world, `machine${each}`, [
      ...['--upstream', upstreamUrl, '--rate', String(RATE), '--timeout', String(TIMEOUT_MS)],
      ...['--concurrency', String(CONCURRENCY)],
    ]);

  const startedAt = performance.now();
  const machines = Array.from({ length: MACHINES }, (_, each) => machine(each));
  const at = async (share: number): Promise<void> => {
    const dueInMs = startedAt + minutes * MINUTE_MS * share - performance.now();
    if (dueInMs > 0) await delay(dueInMs);
  };
  let kills = 0;
  const killWorker = async (each: number): Promise<void> => {
    const patient = performance.now() + MINUTE_MS;
    while (underWay < CONCURRENCY && performance.now() < patient) await delay(1); // in mid-flight is the worst
    const worker = machines[each] as ChildProcess;
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    kills += 1;
    machines[each] = machine(each);
  };
  await at(0.15);
  await killWorker(0);
  await at(0.3);
  await killWorker(1);
  await at(0.45);
  const before = performance.now();
  await pair.failOver();
  const failoverMs = performance.now() - before;
  await at(0.8);
  await killWorker(2);
  await at(1);
  for (const worker of machines) {
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    await ended;
  }
  await delay(JITTER_MS);
  upstream.close();

  const rows = await db.rows<{ id: string; calls: number; unsettled: number }>(
    `select split_part(request, '/', 3) as id, count(*)::int as calls,
       count(*) filter (where finished_at is null)::int as unsettled
     from ${db.schema}.calls where sent and lake like 'machine%' group by 1`,
  );
  const counted = new Map(rows.map(({ id, calls }) => [id, calls]));
  const sum = (numbers: Iterable<number>): number => [...numbers].reduce((a, b) => a + b, 0);
  const lost = sum([...arrived].map(([id, calls]) => Math.max(0, calls - (counted.get(id) ?? 0))));
  const ledger = sum(counted.values());
  const neverArrived = sum(
    [...counted].map(([id, calls]) => Math.max(0, calls - (arrived.get(id) ?? 0))),
  );
  const worst = Math.max(...arrivals.map((_, last) => inWindow(arrivals, last)));
  const shortestMs = Math.min(
    ...arrivals.slice(RATE).map((time, i) => time - (arrivals[i] as number)),
  );
  const mostInFlight = (kills + MACHINES) * CONCURRENCY; // each machine may have lost an answer to the failover

  say('minutes, machines, workers killed', `${minutes}, ${MACHINES}, ${kills}`);
  say('primary killed, standby promoted in', `${(failoverMs / 1000).toFixed(1)} s`);
  say('calls that arrived', String(arrivals.length));
  say('worst 60 s', `${worst} of ${RATE} allowed`);
  say('responses 429', String(refused));
  say('shortest time of 61 calls', `${(shortestMs / 1000).toFixed(3)} s`);
  say('calls in the ledger', String(ledger));
  say('arrived and not counted', String(lost));
  say('counted and not arrived', `${neverArrived} (in flight at a kill; at most ${mostInFlight})`);

  return worst <= RATE && refused === 0 && lost === 0 && neverArrived <= mostInFlight;
};
