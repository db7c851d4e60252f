import { describe, expect, test } from 'vitest';
import { type CreatorPast, creatorVirals } from '../../../src/alerts/events/creator-viral.ts';
import { THRESHOLDS } from '../../../src/alerts/events/thresholds.ts';
import { DAY_MS, HOUR_MS } from '../../../src/base/durations.ts';

const T0 = Date.UTC(2026, 2, 1);
const limits = THRESHOLDS.tiktok.creator;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };

const video = (id: string, ...views: (number | null)[]) => ({
  id,
  createdAt: null,
  snapshots: views.map((its, index) => ({ at: T0 + index * 6 * HOUR_MS, views: its })),
});
const usual = (count: number, views = 20_000) =>
  Array.from({ length: count }, (_, index) => video(`tt_${index}`, views, views + 100));

const past = (given: Partial<CreatorPast>): CreatorPast => ({
  videos: [],
  firstTop: undefined,
  cohortAt: () => undefined,
  ...given,
});
const found = (given: Partial<CreatorPast>) => creatorVirals(past(given), everything, limits);

describe('creator.viral', () => {
  test('notices a video that passes ten times the median of the others', () => {
    const events = found({
      videos: [...usual(6), video('tt_hit', 40_000, 190_000, 260_000, 900_000)],
    });
    expect(events).toHaveLength(1);
    expect(events[0]?.evidence).toMatchObject({
      reason: 'video',
      video: 'tt_hit',
      views: 260_000,
      median: 20_100,
      videos: 6,
    });
    expect(events[0]?.window.to).toBe(T0 + 12 * HOUR_MS);
  });

  test.each([
    ['a video first seen far above', [...usual(6), video('tt_hit', 5_000_000, 5_100_000)]],
    [
      'a rise that stays below the floor of views',
      [...usual(6, 500), video('tt_hit', 1_000, 90_000)],
    ],
    ['a rise among equals', [...usual(6, 900_000), video('tt_hit', 500_000, 2_000_000)]],
    ['too few videos and no cohort', [...usual(3), video('tt_hit', 1_000, 9_000_000)]],
    ['zeros and nulls', [...usual(6), video('tt_hit', 0, null, 5_000_000)]],
  ])('is silent over %s', (_, videos) => {
    expect(found({ videos })).toEqual([]);
  });

  test('is silent over an old video that drifts past the bar', () => {
    const old = { ...video('tt_hit', 150_000, 210_000), createdAt: T0 - 40 * DAY_MS };
    expect(found({ videos: [...usual(6), old] })).toEqual([]);
    expect(found({ videos: [...usual(6), { ...old, createdAt: T0 - 4 * DAY_MS }] })).toHaveLength(
      1,
    );
  });

  test('holds a creator of few videos against the platform', () => {
    const videos = [...usual(2), video('tt_hit', 40_000, 700_000)];
    const cohortAt = () => ({ videos: 200, views99: 600_000 });
    expect(found({ videos, cohortAt })).toHaveLength(1);
    expect(found({ videos, cohortAt: () => ({ videos: 20, views99: 600_000 }) })).toEqual([]);
    expect(found({ videos, cohortAt: () => ({ videos: 200, views99: 800_000 }) })).toEqual([]);
  });

  const firstTop = {
    at: T0 + 10 * DAY_MS,
    watchedSince: T0,
    list: 'feed 24h',
    rank: 2,
    videoId: 'tt_a',
  };
  test('notices the first place at the top of a platform that was watched for a week', () => {
    expect(found({ firstTop })[0]?.evidence).toMatchObject({
      reason: 'top',
      rank: 2,
      watchedDays: 10,
    });
    expect(found({ firstTop: { ...firstTop, at: T0 + 3 * DAY_MS } })).toEqual([]);
  });

  test('says one thing of a creator in two weeks', () => {
    const videos = [...usual(6), video('tt_hit', 40_000, 900_000)];
    expect(found({ videos, firstTop })).toHaveLength(1);
    expect(found({ videos, firstTop: { ...firstTop, at: T0 + 20 * DAY_MS } })).toHaveLength(2);
  });
});
