import { describe, expect, test } from 'vitest';
import { hashtagRises, type TagSnapshot } from '../../../src/alerts/events/hashtag-rising.ts';
import { THRESHOLDS } from '../../../src/alerts/events/thresholds.ts';
import { DAY_MS } from '../../../src/base/durations.ts';

const T0 = Date.UTC(2026, 2, 1);
const limits = THRESHOLDS.tiktok.hashtag;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };

const daily = (measure: 'volume' | 'views', values: readonly (number | null)[]): TagSnapshot[] =>
  values.map((value, day) => ({
    at: T0 + day * DAY_MS,
    volume: null,
    views: null,
    [measure]: value,
  }));
const rises = (snapshots: readonly TagSnapshot[]) => hashtagRises(snapshots, everything, limits);
const flat = (days: number, value: number): number[] => Array.from({ length: days }, () => value);

describe('hashtag.rising', () => {
  test('notices a volume twice its past weeks, once', () => {
    const found = rises(daily('volume', [...flat(10, 100), 120, 260, 400, 500]));
    expect(found).toHaveLength(1);
    expect(found[0]?.window.to).toBe(T0 + 11 * DAY_MS);
    expect(found[0]?.evidence).toMatchObject({ measure: 'volume', volume: 260, usual: 100 });
  });

  test('notices totals that gain faster than they did', () => {
    const before = Array.from({ length: 12 }, (_, day) => 50_000_000 + day * 400_000);
    expect(rises(daily('views', [...before, 58_000_000, 64_000_000]))).toHaveLength(1);
  });

  test.each([
    ['a tag just met', daily('volume', [5_000])],
    ['a few days of history', daily('volume', [10, 20, 40, 80, 160])],
    ['tiny numbers', daily('volume', [...flat(10, 1), 8])],
    ['a steady volume', daily('volume', flat(40, 300))],
    [
      'a volume that was there before',
      daily('volume', [...flat(5, 100), 400, ...flat(6, 100), 390]),
    ],
    ['a coarser one that steps', daily('views', [...flat(12, 1_500_000_000), 1_600_000_000])],
    [
      'a rounded total that stands and steps',
      daily('views', [...flat(12, 13_400_000_000), 13_500_000_000]),
    ],
    ['a total that falls', daily('views', [...flat(12, 500_000_000), 400_000_000])],
    [
      'a list that lost sight of it for a fortnight',
      [...daily('volume', flat(10, 100)), { at: T0 + 24 * DAY_MS, volume: 900, views: null }],
    ],
    ['nothing known', daily('volume', [null, null, null, null, null, null, null, null])],
  ])('is silent over %s', (_, snapshots) => {
    expect(rises(snapshots)).toEqual([]);
  });

  test('day by day finds what looking once finds', () => {
    const snapshots = daily('volume', [
      ...flat(10, 100),
      260,
      400,
      300,
      200,
      ...flat(20, 120),
      500,
      700,
    ]);
    const whole = rises(snapshots);
    const nightly = snapshots.flatMap(({ at }) =>
      hashtagRises(
        snapshots.filter((one) => one.at <= at && one.at > at - 44 * DAY_MS),
        { from: at - DAY_MS, to: at },
        limits,
      ),
    );
    expect(whole).toHaveLength(2);
    expect(nightly).toEqual(whole);
  });
});
