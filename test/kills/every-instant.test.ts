import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { countOf } from '../../fixtures/lake-rows.ts';
import { LAKE_FILE, openLake } from '../../src/lake/open.ts';
import type { ApiClient } from '../../src/upstream/client.ts';
import { freshFolder } from '../support/fresh.ts';
import { KILL_POINTS, watchPoints } from '../support/kill-points.ts';
import { expectWhole } from '../support/lake-invariants.ts';
import { CONCURRENCY, syncOnce } from '../support/sync-once.ts';

// A killed process leaves its files as they are at that instant. A copy of them, made between two
// of its steps, is the same thing for a hundredth of the price of a process.

const INSTANTS = Number(process.env.PROVE_INSTANTS ?? 24);
const IN_THE_PAGE = KILL_POINTS.filter((point) => !/place of its list|first video/.test(point));

let clean: Record<string, unknown[]>;
let steps = 0;

/** A sync that calls `at` with the number of each step it comes to. */
const watchedSync = async (dataDir: string, baseUrl: string, at: (step: number) => void) => {
  const lake = openLake(dataDir);
  let step = 0;
  let progress = (): void => {};
  const client = (real: ApiClient): ApiClient => {
    const watched = watchPoints(lake, real, IN_THE_PAGE, () => {
      at(step);
      step += 1;
    });
    progress = watched.onProgress;
    return watched.client;
  };
  const result = await syncOnce(dataDir, baseUrl, { lake, client, onProgress: () => progress() });
  lake.close();
  return { rows: result.rows, steps: step };
};

beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  const watched = await watchedSync(freshFolder(), upstream.baseUrl, () => {});
  clean = watched.rows;
  steps = watched.steps;
  await upstream.close();
});

test(`${INSTANTS} instants of a run, spread over all of its steps`, async () => {
  const before = await startFaultyUpstream();
  const after = await startFaultyUpstream();
  for (let n = 0; n < INSTANTS; n++) {
    const target = Math.floor((n * steps) / INSTANTS);
    const left = freshFolder();
    const dataDir = freshFolder();
    before.arrivals.length = 0;
    after.arrivals.length = 0;
    let arrived = -1;
    await watchedSync(dataDir, before.baseUrl, (step) => {
      if (step !== target) return;
      arrived = before.arrivals.length;
      for (const name of [LAKE_FILE, `${LAKE_FILE}-wal`])
        if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(left, name));
    });
    if (arrived === -1) continue; // two runs differ by a step or two
    const arrivals = before.arrivals.slice(0, arrived);
    expectWhole(left, { arrivals, kills: 1, concurrency: CONCURRENCY });
    const lake = openLake(left);
    const answered = countOf(lake, 'select count(*) from calls where status = 200');
    lake.close();
    const resumed = await syncOnce(left, after.baseUrl);
    expect(resumed.summary.outcome).toBe('complete');
    expect(resumed.rows).toEqual(clean);
    // nothing that had been answered and loaded is asked for again
    const ended = answered === 16 ? 10 : 0; // a run that had ended is followed by a new one
    expect(after.arrivals.length).toBeLessThanOrEqual(16 - answered + CONCURRENCY + ended);
  }
  await Promise.all([before.close(), after.close()]);
}, 3_600_000);
