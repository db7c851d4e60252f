import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import type { Lake } from '../../../src/lake/open.ts';
import { cohortsOf } from '../../../src/learn/model/cohort.ts';
import { type EarlierVideos, logViews } from '../../../src/learn/model/curve.ts';
import { describePoint, POINT_FEATURES } from '../../../src/learn/model/features.ts';
import { CurveReader } from '../../../src/learn/model/lake-curves.ts';
import { freshLake, type MadeVideo, putVideo } from '../../alerts/events/made-lake.ts';
import { T0 } from '../forecast/made-curves.ts';

const pastIn = (lake: Lake, key: number): EarlierVideos | undefined => {
  const reader = new CurveReader(lake.sqlite);
  const curve = reader.curve(key, null, Number.MAX_SAFE_INTEGER);
  return curve && reader.withCreator(curve).creator;
};

const lakeOf = (videos: readonly MadeVideo[]) => {
  const lake = freshLake();
  const keys = new Map(videos.map((video) => [video.id, putVideo(lake, video)]));
  return { lake, keys };
};

const hour = (hours: number, views: number): [number, number] => [T0 + hours * HOUR_MS, views];

test('the growth of earlier videos counts as far as it was known at the first sight', () => {
  const { lake, keys } = lakeOf([
    { id: 'yt_first', user: 'ada', snapshots: [hour(0, 1000), hour(5, 3000), hour(20, 90_000)] },
    { id: 'yt_second', user: 'ada', snapshots: [hour(2, 500), hour(30, 800)] },
    { id: 'yt_third', user: 'ada', snapshots: [hour(10, 100), hour(40, 9000)] },
    { id: 'yt_later', user: 'ada', snapshots: [hour(11, 100), hour(40, 9000)] },
    { id: 'yt_other', user: 'bob', snapshots: [hour(1, 100), hour(4, 9000)] },
    { id: 'tt_other', user: 'ada', snapshots: [hour(1, 100), hour(4, 9000)] },
    { id: 'yt_nobody', snapshots: [hour(12, 100)] },
  ]);
  const past = (id: string) => pastIn(lake, keys.get(id) as number);
  const growth = (logViews(3000) - logViews(1000)) / 2;
  expect(past('yt_third')).toEqual({ videos: 2, growth: expect.closeTo(growth, 12) });
  expect(past('yt_first')).toEqual({ videos: 0, growth: null });
  expect(past('yt_nobody')).toEqual({ videos: 0, growth: null });
});

const videos = fc
  .array(
    fc.record({
      user: fc.constantFrom('ada', 'bob'),
      platform: fc.constantFrom('yt', 'tt'),
      snapshots: fc.uniqueArray(
        fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1e6 })),
        { selector: ([at]) => at, minLength: 1, maxLength: 5 },
      ),
    }),
    { minLength: 2, maxLength: 30 },
  )
  .map((made) =>
    made.map(
      ({ user, platform, snapshots }, i): MadeVideo => ({
        id: `${platform}_${i}`,
        user,
        snapshots: snapshots.sort(([a], [b]) => a - b).map(([at, views]) => hour(at, views)),
      }),
    ),
  );

test('a creator is described as in the lake cut at the first sight', () => {
  fc.assert(
    fc.property(videos, fc.nat(), (made, pick) => {
      const seen = made.filter(({ snapshots }) => snapshots.some(([, views]) => views !== 0));
      const video = seen[pick % seen.length];
      fc.pre(video !== undefined);
      const at = video.snapshots.find(([, views]) => views !== 0)?.[0] ?? 0;
      const cut = made.flatMap((other) => {
        const snapshots = other.snapshots.filter(([then]) => then <= at);
        return snapshots.length === 0 ? [] : [{ ...other, snapshots }];
      });
      const [whole, then] = [lakeOf(made), lakeOf(cut)];
      const [before, after] = [then, whole].map(({ lake, keys }) =>
        pastIn(lake, keys.get(video.id) as number),
      );
      expect(after).toEqual(before);
    }),
    { numRuns: 25, seed: 17 },
  );
});

test('the creator describes the first sight only', () => {
  const curve = {
    createdAt: T0,
    creator: { videos: 3, growth: 0.5 },
    points: [0, 1].map((i) => ({ at: T0 + i * HOUR_MS, views: 100 * (i + 1) })),
  };
  const cohorts = cohortsOf([{ curve, growth: 1 }]);
  const described = [0, 1].map((position) => {
    const row = new Float32Array(POINT_FEATURES);
    describePoint(curve, position, cohorts, row);
    return [...row.subarray(POINT_FEATURES - 2)];
  });
  expect(described).toEqual([
    [expect.closeTo(Math.log1p(3), 5), 0.5],
    [Number.NaN, Number.NaN],
  ]);
});
