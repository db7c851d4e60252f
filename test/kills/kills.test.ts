import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLake } from '../../src/lake/open.ts';
import { type FaultyUpstream, startFaultyUpstream } from '../support/faulty-upstream.ts';
import { freshFolder } from '../support/fresh.ts';
import { KILL_POINTS } from '../support/kill-points.ts';
import { expectManifestAgrees, expectWhole } from '../support/lake-invariants.ts';
import { lakeRows } from '../support/lake-rows.ts';
import { CONCURRENCY, syncOnce } from '../support/sync-once.ts';

// Every kill is a real one: SIGKILL to a process that syncs.

const CHILD = join(import.meta.dirname, '..', 'support', 'sync-child.ts');
const KILLS = Number(process.env.PROVE_KILLS ?? 20);
const LANES = 2;

let clean: Record<string, unknown[]>;
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  clean = (await syncOnce(freshFolder(), upstream.baseUrl)).rows;
  await upstream.close();
});

/** Starts a sync in its own process. `done` resolves with its outcome, or null when it was killed. */
const startSync = (dataDir: string, baseUrl: string, point = '', n = 1) => {
  const child = fork(CHILD, [dataDir, baseUrl, point, String(n)], {
    execArgv: [],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'trendlake-compile-cache') },
  });
  const said: string[] = [];
  child.on('message', (word) => said.push(String(word)));
  const started = once(child, 'message');
  const done = once(child, 'exit').then(([code, signal]) => {
    if (signal !== 'SIGKILL') expect({ code, said }).toMatchObject({ code: 0 });
    return signal === 'SIGKILL' ? null : said.at(-1);
  });
  return { child, started, done };
};

const rowsOf = (dataDir: string): Record<string, unknown[]> => {
  const lake = openLake(dataDir);
  try {
    return lakeRows(lake);
  } finally {
    lake.close();
  }
};

describe('a process that dies at a named point loses and repeats nothing', () => {
  test.concurrent.each(KILL_POINTS)('%s', async (point) => {
    const upstream = await startFaultyUpstream();
    const dataDir = freshFolder();
    openLake(dataDir).close();
    const truth = { arrivals: upstream.arrivals, concurrency: CONCURRENCY };
    const often = ['at the start of a run', 'at the end of a run'].includes(point) ? 1 : 5;
    expect(await startSync(dataDir, upstream.baseUrl, point, often).done).toBeNull();
    expectWhole(dataDir, { ...truth, kills: 1 });
    const resumed = await syncOnce(dataDir, upstream.baseUrl);
    expect(resumed.summary.outcome).toBe('complete');
    expectWhole(dataDir, { ...truth, kills: 1 });
    expect(resumed.rows).toEqual(clean);
    await upstream.close();
  });
});

/** Numbers from 0 to 1 that are the same for the same seed; the machine adds the rest of the chance. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
};

interface Lane {
  kills: number;
  finished: number;
}

const KILLS_A_LAKE = 12;

/** Kills syncs of one lake after another at random instants; the last sync of each gets through. */
const killLane = async (upstream: FaultyUpstream, kills: number, seed: number): Promise<Lane> => {
  const random = randomFrom(seed);
  const lane: Lane = { kills: 0, finished: 0 };
  let spanMs = 200; // how long a sync takes from its start, about
  while (lane.kills < kills) {
    const dataDir = freshFolder();
    upstream.arrivals.length = 0;
    const truth = { arrivals: upstream.arrivals, kills: 0, concurrency: CONCURRENCY };
    for (let outcome: string | null | undefined = null; outcome !== 'complete'; ) {
      const sync = startSync(dataDir, upstream.baseUrl);
      await sync.started;
      const startedAt = performance.now();
      const lives = truth.kills >= KILLS_A_LAKE;
      const timer = setTimeout(() => lives || sync.child.kill('SIGKILL'), random() * spanMs);
      outcome = await sync.done;
      clearTimeout(timer);
      expect([null, 'complete']).toContain(outcome);
      if (outcome === null) truth.kills += 1;
      else spanMs = performance.now() - startedAt;
      expectWhole(dataDir, truth);
    }
    expect(rowsOf(dataDir)).toEqual(clean);
    expectManifestAgrees(dataDir);
    expect(
      readdirSync(dataDir).filter(
        (name) => !/^(trendlake\.db(-wal|-shm)?|parquet|locks)$/.test(name),
      ),
    ).toEqual([]);
    lane.kills += truth.kills;
    lane.finished += 1;
  }
  return lane;
};

test(
  `${KILLS} kills at random instants, exports included`,
  async () => {
    const upstreams = await Promise.all(Array.from({ length: LANES }, () => startFaultyUpstream()));
    const lanes = await Promise.all(
      upstreams.map((upstream, lane) => killLane(upstream, Math.ceil(KILLS / LANES), lane + 1)),
    );
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    const kills = lanes.reduce((sum, lane) => sum + lane.kills, 0);
    const finished = lanes.reduce((sum, lane) => sum + lane.finished, 0);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
    // none in n: the rate of violations is below 3 / n with 95 % confidence
    process.stdout.write(
      `${kills} kills over ${finished} lakes, no violation: fewer than ${((100 * 3) / kills).toFixed(2)} % of kills violate a promise (95 %)\n`,
    );
  },
  4 * 3_600_000,
);
