import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/base/durations.ts';
import { endProcess } from '../pace/end-process.ts';
import { StrictUpstream } from '../pace/strict-upstream.ts';
import { arrivals, compareCounts } from './counted.ts';
import { type FleetWorld, startMachine } from './world.ts';

const RATE = 60;
const JITTER_MS = 400;
const TIMEOUT_MS = 5000;
const CONCURRENCY = 4;
const MACHINES = 3;

/**
 * Three machines on one key at the beta tier, against a strict upstream with jitter. Each is killed once
 * and started again; so is the ledger's primary, whose standby is promoted.
 * @returns whether what must hold did
 */
export const proveMachines = async (world: FleetWorld, minutes: number): Promise<boolean> => {
  const { pair, say } = world;
  const { arrived, note } = arrivals();
  const upstream = await StrictUpstream.start(RATE, JITTER_MS, note);

  const machine = (each: number): ChildProcess =>
    startMachine(world, `machine${each}`, [
      '--upstream',
      upstream.url,
      '--rate',
      String(RATE),
      '--timeout',
      String(TIMEOUT_MS),
      '--concurrency',
      String(CONCURRENCY),
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
    while (upstream.underWay < CONCURRENCY && performance.now() < patient) await delay(1); // in mid-flight is the worst
    await endProcess(machines[each] as ChildProcess, 'SIGKILL');
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
  for (const worker of machines) await endProcess(worker, 'SIGTERM');
  await upstream.stop();

  const mostInFlight = (kills + MACHINES) * CONCURRENCY; // each machine may have lost an answer to the failover

  say('minutes, machines, workers killed', `${minutes}, ${MACHINES}, ${kills}`);
  say('primary killed, standby promoted in', `${(failoverMs / 1000).toFixed(1)} s`);
  upstream.say(say);
  const isCounted = await compareCounts(world, arrived, { lakes: 'machine%', mostInFlight });
  return upstream.worst <= RATE && upstream.refused === 0 && isCounted;
};
