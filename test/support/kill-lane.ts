import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { countOf, lakeRows } from '../../fixtures/lake-rows.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import type { RandomStream } from '../../src/sandbox/world/random-stream.ts';
import { freshFolder } from './fresh.ts';
import { expectManifestAgrees, expectWhole, tornFiles } from './lake-invariants.ts';
import type { Stage } from './stages.ts';
import { CONCURRENCY } from './sync-once.ts';
import { type Aim, syncInProcess } from './sync-process.ts';

/** Figures of the kills of a lane. */
export interface KillFigures {
  kills: number;
  /** Lakes that were led through their kills to the end. */
  lakes: number;
  /** Processes, the killed ones among them. */
  processes: number;
  /** Kills by the stage that the process was at. */
  struck: Map<Stage, number>;
  /** Calls that were made twice because their process was killed, and how many might have been. */
  repeated: number;
  mayRepeat: number;
  /** Calls that were counted and never arrived. */
  neverArrived: number;
}

const noKills = (): KillFigures => ({
  kills: 0,
  lakes: 0,
  processes: 0,
  struck: new Map(),
  repeated: 0,
  mayRepeat: 0,
  neverArrived: 0,
});

/** Stages to aim at: their weight, about how often a process gets there, and how long it stays. */
const AIMS: readonly { stage: Stage; weight: number; times: number; stayMs: number }[] = [
  { stage: 'o', weight: 3, times: 1, stayMs: 60 },
  { stage: 'p', weight: 2, times: 5, stayMs: 3 },
  { stage: 'c', weight: 4, times: 12, stayMs: 4 },
  { stage: 'l', weight: 5, times: 16, stayMs: 4 },
  { stage: 'b', weight: 1, times: 6, stayMs: 2 },
  { stage: 'f', weight: 2, times: 1, stayMs: 4 },
  { stage: 'n', weight: 2, times: 1, stayMs: 8 },
  { stage: 'x', weight: 5, times: 8, stayMs: 25 },
  { stage: 'd', weight: 1, times: 1, stayMs: 5 },
];
const WEIGHTS = AIMS.reduce((sum, { weight }) => sum + weight, 0);

/** A stage by its weight, one of its times, an instant of its stay. The machine adds its own chance. */
const drawAim = (random: RandomStream): Aim => {
  let left = random.next() * WEIGHTS;
  const drawn =
    AIMS.find(({ weight }) => {
      left -= weight;
      return left < 0;
    }) ?? AIMS[0];
  if (drawn === undefined) throw new Error('there is nothing to aim at');
  const { stage, times, stayMs } = drawn;
  return {
    stage,
    nth: 1 + Math.floor(random.next() * times),
    delayMs: random.next() * stayMs,
  };
};

/**
 * Checks a copy of what a killed process left: the next process shall find it as the kill left it,
 * not as somebody's recovery did.
 */
const expectWholeAsLeft = (
  dataDir: string,
  scratch: string,
  truth: Parameters<typeof expectWhole>[1],
): void => {
  expect(tornFiles(dataDir)).toEqual([]);
  if (!existsSync(join(dataDir, LAKE_FILE))) return; // killed before there was one
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  for (const name of [LAKE_FILE, `${LAKE_FILE}-wal`])
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(scratch, name));
  expectWhole(scratch, truth);
};

const KILLS_A_LAKE = 8; // at most
const KEPT = /^((trendlake|service)\.db(-wal|-shm)?|parquet|locks)$/;

/** Leads one lake through its kills to a sync that gets through, and checks it after each. */
const killOneLake = async (
  clean: Record<string, unknown[]>,
  random: RandomStream,
  { figures, most }: { figures: KillFigures; most: number },
): Promise<void> => {
  const upstream = await startFaultyUpstream(); // one for each lake: a late arrival is its own lake's
  const dataDir = freshFolder();
  const scratch = `${freshFolder()}/copy`;
  const truth = { arrivals: upstream.arrivals, kills: 0, concurrency: CONCURRENCY };
  for (let through = false; !through; ) {
    const lives = truth.kills === Math.min(KILLS_A_LAKE, most);
    const aim = drawAim(random);
    const ended = await syncInProcess(dataDir, upstream.baseUrl, lives ? {} : { aim });
    figures.processes += 1;
    if (ended.killed) {
      truth.kills += 1;
      if (ended.stage !== undefined)
        figures.struck.set(ended.stage, (figures.struck.get(ended.stage) ?? 0) + 1);
    } else expect(ended).toEqual({ killed: false, code: 0, stage: 'd' });
    expectWholeAsLeft(dataDir, scratch, truth);
    through = lives;
  }
  expectManifestAgrees(dataDir);
  expect(readdirSync(dataDir).filter((name) => !KEPT.test(name))).toEqual([]);
  const lake = openLake(dataDir);
  try {
    expect(lakeRows(lake)).toEqual(clean);
    const calls = countOf(lake, 'select count(*) from calls');
    const asked = countOf(lake, 'select count(*) from run_items');
    figures.repeated += calls - asked;
    figures.neverArrived += calls - upstream.arrivals.length;
  } finally {
    lake.close();
  }
  figures.mayRepeat += truth.kills * CONCURRENCY;
  figures.kills += truth.kills;
  figures.lakes += 1;
  for (const folder of [dataDir, scratch]) rmSync(folder, { recursive: true, force: true });
  await upstream.close();
};

/**
 * Kills real processes that sync and export, at random instants, lake after lake until there are
 * `kills`. After each kill nothing may be half, uncounted or repeated beyond the calls in flight; at
 * each lake's end its rows are `clean`, its files those of its manifest, and nothing is left over.
 */
export const killLane = async (
  clean: Record<string, unknown[]>,
  kills: number,
  random: RandomStream,
): Promise<KillFigures> => {
  const figures = noKills();
  while (figures.kills < kills)
    await killOneLake(clean, random, { figures, most: kills - figures.kills });
  return figures;
};
