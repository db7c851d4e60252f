import { beforeAll, describe, expect, test } from 'vitest';
import { startFaultyUpstream } from '../../fixtures/faulty-upstream.ts';
import { openLake } from '../../src/lake/open.ts';
import { freshFolder } from '../support/fresh.ts';
import { KILL_POINTS } from '../support/kill-points.ts';
import { expectWhole } from '../support/lake-invariants.ts';
import { CONCURRENCY, syncOnce } from '../support/sync-once.ts';
import { syncInProcess } from '../support/sync-process.ts';

let clean: Record<string, unknown[]>;
beforeAll(async () => {
  const upstream = await startFaultyUpstream();
  clean = (await syncOnce(freshFolder(), upstream.baseUrl)).rows;
  await upstream.close();
});

describe('a process that dies at a named point loses and repeats nothing', () => {
  test.each(KILL_POINTS)('%s', async (point) => {
    const upstream = await startFaultyUpstream();
    const dataDir = freshFolder();
    openLake(dataDir).close();
    const truth = { arrivals: upstream.arrivals, concurrency: CONCURRENCY };
    const n = ['at the start of a run', 'at the end of a run'].includes(point) ? 1 : 5;
    expect(await syncInProcess(dataDir, upstream.baseUrl, { point, n })).toMatchObject({
      killed: true,
    });
    expectWhole(dataDir, { ...truth, kills: 1 });
    const resumed = await syncOnce(dataDir, upstream.baseUrl);
    expect(resumed.summary.outcome).toBe('complete');
    expectWhole(dataDir, { ...truth, kills: 1 });
    expect(resumed.rows).toEqual(clean);
    await upstream.close();
  });
});
