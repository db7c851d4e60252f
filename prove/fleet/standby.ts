import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../src/base/durations.ts';
import { limitWarnings } from '../../src/upstream/ledger-postgres/init-ledger.ts';
import { endProcess } from '../pace/end-process.ts';
import { StrictUpstream } from '../pace/strict-upstream.ts';
import { arrivals, compareCounts } from './counted.ts';
import { type FleetWorld, startMachine } from './world.ts';

/** Limits a minute that three machines state for one key, of which the service allows the least. */
const RATES = [60, 120, 300];
const RATE = 60;
const JITTER_MS = 400;
const CONCURRENCY = 4;
/** Backends that may work for one machine: a statement, and the one it no longer waits for. */
const BACKENDS_EACH = 2;
const UP_MS = 20 * SECOND_MS;
const DOWN_MS = 65 * SECOND_MS; // the calls of the first minute are free again by then
const AFTER_MS = 40 * SECOND_MS;

/**
 * Three machines that state different limits for one key, while the ledger's standby is away for a
 * time. @returns whether what must hold did
 */
export const proveStandbyDown = async (world: FleetWorld): Promise<boolean> => {
  const { pair, db, say } = world;
  const { arrived, note } = arrivals();
  const upstream = await StrictUpstream.start(RATE, JITTER_MS, note);
  const machines = RATES.map((rate, each) =>
    startMachine(world, `uneven${each}`, [
      '--upstream',
      upstream.url,
      '--rate',
      String(rate),
      '--timeout',
      '5000',
      '--concurrency',
      String(CONCURRENCY),
    ]),
  );
  await delay(UP_MS);
  await pair.endStandby();
  let most = 0;
  for (const until = performance.now() + DOWN_MS; performance.now() < until; await delay(500)) {
    const [row] = await db.rows<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'",
    );
    most = Math.max(most, row?.n ?? 0);
  }
  await pair.startStandby();
  await delay(AFTER_MS);
  const warnings = await limitWarnings(db);
  for (const machine of machines) await endProcess(machine, 'SIGTERM');
  await upstream.stop();

  say('differing limits that machines state', `${RATES.join(', ')} a minute`);
  say('standby away for', `${DOWN_MS / 1000} s; backends busy at most ${most}`);
  upstream.say(say);
  say('who differs, as `doctor` names it', warnings[0] ?? 'nobody was named');
  const mostInFlight = RATES.length;
  const isCounted = await compareCounts(world, arrived, { lakes: 'uneven%', mostInFlight });
  return (
    upstream.worst <= RATE &&
    upstream.refused === 0 &&
    most <= BACKENDS_EACH * RATES.length &&
    warnings.length === 1 &&
    isCounted
  );
};
