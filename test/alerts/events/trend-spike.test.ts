import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { THRESHOLDS } from '../../../src/alerts/events/thresholds.ts';
import type { Snapshot } from '../../../src/alerts/events/timeline.ts';
import { trendSpikes } from '../../../src/alerts/events/trend-spike.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';

const T0 = Date.UTC(2026, 2, 1);
const limits = THRESHOLDS.youtube.spike;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** Looks every `hours`, at these counts. */
const every = (hours: number, counts: readonly (number | null)[]): Snapshot[] =>
  counts.map((views, index) => ({ at: T0 + index * hours * HOUR_MS, views }));

const spikes = (snapshots: readonly Snapshot[], createdAt: number | null = T0 - 24 * HOUR_MS) =>
  trendSpikes({ snapshots, createdAt }, everything, limits);

const steady = (length: number, perSnapshot: number, start = 50_000): number[] =>
  Array.from({ length }, (_, index) => start + index * perSnapshot);

describe('trend.spike', () => {
  const silent: readonly [string, readonly Snapshot[]][] = [
    ['nothing', []],
    ['a first sight, however large', every(6, [9_000_000])],
    ['two snapshots: no past to compare with', every(6, [1_000, 900_000])],
    ['a steady climb', every(6, steady(20, 12_000))],
    ['a slowing climb', every(6, [50_000, 90_000, 120_000, 140_000, 150_000, 155_000])],
    ['a zero between true counts', every(6, [500_000, 500_100, 0, 500_200, 500_300])],
    ['a correction and the way back', every(6, [500_000, 501_000, 300_000, 502_000, 503_000])],
    ['nulls', every(6, [null, null, null, null])],
    ['a rise of a few views', every(6, [10, 12, 14, 900, 950])],
    [
      'a rise over a week nobody looked',
      [...every(6, steady(6, 1_000)), { at: T0 + 200 * HOUR_MS, views: 900_000 }],
    ],
    [
      'a counter that stands still and steps',
      every(6, [90_000, 96_000, 96_000, 96_000, 114_000, 114_000, 114_000, 132_000]),
    ],
    [
      'polls every minute over a step',
      Array.from({ length: 300 }, (_, i) => ({
        at: T0 + i * 60_000,
        views: i < 150 ? 50_000 : 50_900,
      })),
    ],
  ];
  test.each(silent)('is silent over %s', (_, snapshots) => {
    expect(spikes(snapshots)).toEqual([]);
  });

  test('notices a burst at the first snapshot that shows it, with its numbers', () => {
    const found = spikes(every(6, [50_000, 53_000, 56_000, 59_000, 160_000, 300_000]));
    expect(found).toHaveLength(1);
    expect(found[0]?.window).toEqual({ from: T0 + 18 * HOUR_MS, to: T0 + 24 * HOUR_MS });
    expect(found[0]?.evidence).toMatchObject({
      views: 160_000,
      viewsBefore: 59_000,
      gain: 101_000,
      ownViewsPerHour: 500,
    });
  });

  test('works without a publishing time', () => {
    expect(spikes(every(6, [50_000, 53_000, 56_000, 59_000, 160_000]), null)).toHaveLength(1);
  });

  test('speaks once for a burst of days, and again after 14 quiet days', () => {
    const burst = [60_000, 120_000, 260_000, 560_000, 1_200_000];
    const calm = steady(20, 1_000, 1_210_000); // 5 days
    const long = steady(60, 1_000, 1_210_000); // 15 days
    const again = [1_700_000, 2_900_000];
    expect(spikes(every(6, [50_000, 51_000, 52_000, ...burst, ...calm]))).toHaveLength(1);
    expect(spikes(every(6, [50_000, 51_000, 52_000, ...burst, ...calm, ...again]))).toHaveLength(1);
    expect(spikes(every(6, [50_000, 51_000, 52_000, ...burst, ...long, ...again]))).toHaveLength(2);
  });

  const history = fc
    .array(
      fc.record({
        gapMinutes: fc.integer({ min: 1, max: 2_000 }),
        gain: fc.oneof(
          fc.integer({ min: -5_000, max: 5_000 }),
          fc.integer({ min: 0, max: 400_000 }),
          fc.constant(Number.NaN),
        ),
      }),
      { maxLength: 80 },
    )
    .map((steps) => {
      let at = T0;
      let views = 20_000;
      return steps.map(({ gapMinutes, gain }): Snapshot => {
        at += gapMinutes * 60_000;
        if (Number.isNaN(gain)) return { at, views: null };
        views = Math.max(0, views + gain);
        return { at, views };
      });
    });

  test('looking piece by piece finds what looking once finds', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.integer({ min: 0, max: 80 * 2_000 }), { maxLength: 6 }),
        (snapshots, cuts) => {
          const whole = spikes(snapshots);
          const bounds = [
            0,
            ...cuts.map((minutes) => T0 + minutes * 60_000).sort((a, b) => a - b),
            everything.to,
          ];
          const pieces = bounds.slice(1).flatMap((to, index) =>
            trendSpikes(
              {
                snapshots: snapshots.filter((snapshot) => snapshot.at <= to),
                createdAt: T0 - 24 * HOUR_MS,
              },
              { from: bounds[index] as number, to },
              limits,
            ),
          );
          expect(pieces).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('counts that only fall never spike', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 40 }),
        (counts) => {
          expect(
            spikes(
              every(
                5,
                counts.toSorted((a, b) => b - a),
              ),
            ),
          ).toEqual([]);
        },
      ),
    );
  });
});
