import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { WORLD_AT } from '../../fixtures/small-world.ts';
import { DAY_MS } from '../../src/base/durations.ts';
import { isoOf } from '../../src/base/iso.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { CronExpression } from '../../src/run/plan/cron.ts';
import { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshFolder } from '../support/fresh.ts';
import { SEED } from '../support/seed.ts';

// Real SIGKILLs to a daemon that lives through a week of nights, each restarted at once. Afterwards
// every slot is done or missed with a reason, and every night has its backup.

const KILLS = Number(process.env.PROVE_DAEMON_KILLS ?? 3);
const NIGHTS = 6; // seven backups are kept
const CRONS = { feed: '15 2 * * *', export: '30 2 * * *', backup: '45 2 * * *' };
const START_AT = Math.floor(WORLD_AT / DAY_MS) * DAY_MS;
const END_AT = START_AT + NIGHTS * DAY_MS;
/** A whole week takes a process longer than this; its start takes a quarter. */
const LONGEST_LIFE_MS = 1600;

const CHILD = join(import.meta.dirname, 'daemon-child.ts');

/** Runs the daemon until it ends, or for `lifeMs`. @returns its exit code; null if it was killed */
const runDaemon = async (
  dataDir: string,
  baseUrl: string,
  lifeMs: number | undefined,
): Promise<number | null> => {
  const args = [CHILD, dataDir, baseUrl, String(START_AT), String(END_AT), JSON.stringify(CRONS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  if (lifeMs !== undefined)
    void Promise.race([exit, delay(lifeMs)]).then(() => child.kill('SIGKILL'));
  return (await exit)[0];
};

/** Leads one data directory through its nights. @returns kills that struck */
const liveWeek = async (dataDir: string, random: RandomStream, most: number): Promise<number> => {
  const upstream = await startFaultyUpstream();
  let kills = 0;
  for (;;) {
    const lifeMs = kills < most ? 150 + random.next() * LONGEST_LIFE_MS : undefined;
    const code = await runDaemon(dataDir, upstream.baseUrl, lifeMs);
    if (code !== null) {
      expect(code).toBe(0);
      break;
    }
    kills += 1;
  }
  await upstream.close();
  return kills;
};

interface SlotRow {
  readonly job: string;
  readonly slotAt: number;
  readonly isSettled: number;
}

const expectSettled = (dataDir: string): void => {
  const lake = openLakeForReading(dataDir);
  const rows = lake.sqlite
    .prepare(
      `select job, slot_at as slotAt, done_at is not null or missed is not null as isSettled from slots`,
    )
    .all() as SlotRow[];
  lake.close();
  const settled = (job: string): string[] =>
    rows.filter((row) => row.job === job && row.isSettled === 1).map(({ slotAt }) => isoOf(slotAt));
  for (const [job, cron] of Object.entries(CRONS)) {
    const due = new CronExpression(job, cron, 'UTC').slots(START_AT, END_AT).map(isoOf);
    expect({ job, settled: settled(job) }).toMatchObject({
      job,
      settled: expect.arrayContaining(due),
    });
  }
  const nights = Array.from({ length: NIGHTS }, (_, n) =>
    isoOf(START_AT + n * DAY_MS).slice(0, 10),
  );
  expect(readdirSync(join(dataDir, 'backups')).sort()).toEqual(
    expect.arrayContaining(nights.map((date) => `trendlake-${date}.db`)),
  );
  expect(
    readdirSync(join(dataDir, 'locks')).filter((name) => name.startsWith('schedule-')),
  ).toEqual([]);
};

test(
  `${KILLS} kills of the daemon: every slot is settled and every night has its backup`,
  async () => {
    const random = new RandomStream(SEED);
    let [kills, weeks] = [0, 0];
    while (kills < KILLS) {
      const dataDir = freshFolder();
      kills += await liveWeek(dataDir, random, KILLS - kills);
      weeks += 1;
      expectSettled(dataDir);
    }
    process.stdout.write(
      `${kills} kills of the daemon in ${weeks} weeks of ${NIGHTS} nights (seed ${SEED}): 0 violations\n`,
    );
  },
  4 * 3_600_000,
);
