import { expect, test } from 'vitest';
import { virtualClock } from '../../../src/base/clock.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { loadObservations } from '../../../src/ingest/imports/observations.ts';
import { exportLake } from '../../../src/output/parquet/export-lake.ts';
import { expectWhole, manifestOf } from './exported-files.ts';
import { filledLake, NOON_AT } from './filled-lake.ts';

const clock = virtualClock(NOON_AT);

test('observations of three days, however old, rewrite those days and no other file', async () => {
  const lake = filledLake();
  const load = (days: readonly number[], views: number): void => {
    loadObservations(lake, {
      videos: [],
      hashtags: [],
      creators: [],
      snapshots: days.map((day) => ({
        at: NOON_AT + day * DAY_MS + 60_000,
        observed: {
          id: 'tt_0',
          platform: 'tiktok' as const,
          views,
          likes: 7,
          engagementRate: null,
          title: null,
          user: null,
          createdAt: null,
          hashtags: null,
          extra: null,
          snapshotExtra: null,
        },
      })),
    });
  };
  load([-9, -8, -7, -6, -5, -4, -3], 1000);
  await exportLake(lake, { clock });
  const before = new Map(manifestOf(lake).map(({ path, sha256 }) => [path, sha256]));
  load([-9, -8, -7, -6, -5, -4, -3], 1000); // the same again
  load([-6, -4, 1], 2000);
  expect(await exportLake(lake, { clock })).toMatchObject({ files: 3, unchanged: 1 });
  const changed = manifestOf(lake).filter(({ path, sha256 }) => before.get(path) !== sha256);
  expect(changed.map(({ path }) => path)).toEqual([
    'video_snapshots/date=2026-02-23/video_snapshots.parquet',
    'video_snapshots/date=2026-02-25/video_snapshots.parquet',
    'video_snapshots/date=2026-03-02/video_snapshots.parquet',
  ]);
  expectWhole(lake);
});
