import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { HOUR_MS } from '../../src/base/durations.ts';
import { openLakeForReading } from '../../src/lake/open.ts';
import { HeavyReads } from '../../src/serve/cache/heavy-reads.ts';
import { LakeCache } from '../../src/serve/cache/lake-cache.ts';
import { fillLake, freshFolder, hoursAgo, NOW } from './filled-lake.ts';
import { putForecasts } from './made-forecasts.ts';

test('forecasts are those of their instant', async () => {
  const { dataDir, remove } = freshFolder();
  fillLake(dataDir, (into) =>
    into.video({ id: 'tt_1', title: 'one', snapshots: [[hoursAgo(1), 5000]] }),
  );
  const views = {
    6: [7500, 7100, 8200],
    24: [9000, 7600, 12_000],
    72: [12_000, 8000, 20_000],
  } as const;
  putForecasts(dataDir, 'tiktok', [{ id: 'tt_1', at: hoursAgo(1), top: 0.7, views }]);
  const lake = openLakeForReading(dataDir);
  const reads = new HeavyReads(lake, { cache: new LakeCache(1e6), clock: systemClock });
  const by = { owner: 'a page', unwanted: new AbortController().signal };
  const at = async (instant: number) => {
    const query = { platform: 'tiktok', hours: 24, at: instant, limit: 20, tagsOf: [''] } as const;
    const { rising } = await reads.read('forecasts', query, by);
    return rising.videos.map(({ topProbability }) => topProbability);
  };
  expect(await at(NOW)).toEqual([0.7]);
  expect(await at(NOW + HOUR_MS)).toEqual([0.7]);
  expect(await at(NOW + 48 * HOUR_MS)).toEqual([]); // older than two days
  expect(await at(NOW - 2 * HOUR_MS)).toEqual([]); // before it was made
  await reads.close();
  lake.close();
  remove();
});
