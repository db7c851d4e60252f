import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { HeavyReads, risingOf } from '../../src/serve/cache/heavy-reads.ts';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { ReaderThread } from '../../src/serve/cache/reader-thread.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from './filled-lake.ts';
import { putForecasts } from './made-forecasts.ts';

test('forecasts are read once until the lake or the time changes them', async () => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, (into) =>
    into.video({ id: 'tt_1', title: 'one', snapshots: [[hoursAgo(1), 5000]] }),
  );
  const views = {
    6: [7500, 7100, 8200],
    24: [9000, 7600, 12_000],
    72: [12_000, 8000, 20_000],
  } as const;
  const put = (top: number) =>
    putForecasts(dataDir, 'tiktok', [{ id: 'tt_1', at: hoursAgo(1), top, views }]);
  put(0.7);
  const lake = openLakeForReading(dataDir);
  const read = vi.spyOn(ReaderThread.prototype, 'read');
  const reads = new HeavyReads(lake, {
    cache: new LakeCache(1e6),
    clock: systemClock,
    limits: { rowsHere: -1 },
  });
  const by = { owner: 'a page', unwanted: new AbortController().signal };
  const at = async (instant: number) => {
    const { rising } = await reads.forecasts(risingOf('tiktok', 24, instant), by);
    return rising.videos.map(({ topProbability }) => topProbability);
  };
  expect(await at(NOW)).toEqual([0.7]);
  expect(await at(NOW + HOUR_MS)).toEqual([0.7]);
  expect(read.mock.calls.map(([query]) => 'name' in query && query.name)).toEqual([
    'rising',
    'standing',
  ]);
  expect(await at(NOW + 48 * HOUR_MS)).toEqual([]); // older than two days
  expect(await at(NOW - 2 * HOUR_MS)).toEqual([]); // before it was made
  await reads.computeAhead(NOW);
  const before = read.mock.calls.length;
  expect(await at(NOW)).toEqual([0.7]);
  expect(read.mock.calls.length).toBe(before);
  read.mockRestore();
  await reads.close();
  lake.close();
  remove();
});
