import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../src/base/durations.ts';
import { StrictUpstream } from '../pace/strict-upstream.ts';
import { arrivals, compareCounts } from './counted.ts';
import { type FleetWorld, startMachine } from './world.ts';

const BIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'bin.js');
const RATE = 60;
const JITTER_MS = 400;
const CONCURRENCY = 4;
const MACHINES = 3;
/** Calls before the server freezes: not all of a minute, so that some are being admitted. */
const BEFORE = 20;
/** The calls of the first minute are free again by then. */
const AFTER_MS = 40 * SECOND_MS;
/** A call gives up after 15 s, and later statements try each host once, for up to 10 s. */
const PATIENCE_MS = 60 * SECOND_MS;
/** A process that is asked to end gives its last statement 2 s, and its connections 2 s. */
const STOP_S = 10;

/** Seconds until a process exits, which is killed if it takes too long. */
const untilExit = async (child: ChildProcess): Promise<{ code: unknown; seconds: number }> => {
  const startedAt = performance.now();
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  return { code: code ?? signal, seconds: (performance.now() - startedAt) / 1000 };
};

/**
 * Machines on one key whose ledger freezes: all of its processes stop, and connections stay open. One
 * machine is asked to end meanwhile, two commands are started, and two machines go on afterwards.
 * @returns whether each process exits in time and every call is counted
 */
export const proveFrozen = async (world: FleetWorld): Promise<boolean> => {
  const { pair, db, say, scratch } = world;
  const { arrived, note } = arrivals();
  const upstream = await StrictUpstream.start(RATE, JITTER_MS, note);
  const [first, ...others] = Array.from({ length: MACHINES }, (_, each) =>
    startMachine(world, `frozen${each}`, [
      '--upstream',
      upstream.url,
      '--rate',
      String(RATE),
      '--timeout',
      '5000',
      '--concurrency',
      String(CONCURRENCY),
    ]),
  ) as [ChildProcess, ...ChildProcess[]];
  const dataDir = join(scratch, 'commands');
  const command = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [BIN, ...args, '--data-dir', dataDir], {
      cwd: scratch,
      env: {
        ...process.env,
        TRENDLAKE_API_KEY: 'another-key',
        TRENDLAKE_BASE_URL: upstream.url,
        TRENDLAKE_LEDGER_URL: pair.url,
      },
      stdio: 'ignore',
    });
  while (upstream.arrivals.length < BEFORE) await delay(1);
  pair.freeze();
  first.kill('SIGTERM');
  const commands = [command('sync'), command('plan')];
  const ended = await Promise.all([first, ...commands].map(untilExit));
  const arrivedFrozen = upstream.arrivals.length;
  pair.thaw();
  await delay(AFTER_MS);
  const arrivedAfter = upstream.arrivals.length - arrivedFrozen;
  for (const machine of others) machine.kill('SIGTERM');
  const endedAfter = await Promise.all(others.map(untilExit));
  await upstream.stop();
  const [months] = await db.rows<{ spent: number; calls: number }>(
    `select (select sum(calls)::int from ${db.schema}.hours) as spent,
       (select count(*)::int from ${db.schema}.calls where sent) as calls`,
  );

  const [machineEnd, ...commandEnds] = ended;
  say('machine, exit while the server is frozen', `${machineEnd?.seconds.toFixed(1)} s`);
  say(
    'sync, plan: exit codes and times',
    commandEnds.map(({ code, seconds }) => `${code} in ${seconds.toFixed(1)} s`).join(', '),
  );
  say('calls that arrived once it went on', String(arrivedAfter));
  upstream.say(say);
  say('calls of the month, rows of calls', `${months?.spent}, ${months?.calls}`);
  const mostInFlight = MACHINES; // each admits one call at a time
  const isCounted = await compareCounts(world, arrived, { lakes: 'frozen%', mostInFlight });
  return (
    ended.every(({ code }) => code !== 'SIGKILL') &&
    String(commandEnds.map(({ code }) => code)) === '75,0' && // paused; the standby answers reads
    [machineEnd, ...endedAfter].every((end) => end?.code === 0) &&
    (machineEnd?.seconds ?? STOP_S) < STOP_S &&
    arrivedAfter > 0 &&
    upstream.worst <= RATE &&
    upstream.refused === 0 &&
    months?.spent === months?.calls &&
    isCounted
  );
};
