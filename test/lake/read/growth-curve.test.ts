import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { realLines, realPath } from '../../../fixtures/real-data.ts';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { isoOf, parseIso } from '../../../src/base/iso.ts';
import { type GrowthPoint, growthCurveOf } from '../../../src/lake/read/growth-curve.ts';

const START = parseIso('2026-01-01') as number;
const snapshots = (...pairs: [hours: number, views: number | null][]): GrowthPoint[] =>
  pairs.map(([hours, views]) => ({ at: START + hours * HOUR_MS, views }));
const hourly = (count: number, views: (hour: number) => number): GrowthPoint[] =>
  Array.from({ length: count }, (_, hour) => ({
    at: START + hour * HOUR_MS,
    views: Math.round(views(hour)),
  }));
const viewsOf = (points: GrowthPoint[]): number[] =>
  growthCurveOf(points).points.map((p) => p.views);
const logistic = (hour: number): number => 1_000_000 / (1 + Math.exp(-(hour - 48) / 8));

describe('hand-made curves', () => {
  test('nothing, one snapshot, all unknown', () => {
    const empty = { points: [], peak: null, doublingHours: null, phase: 'unknown' };
    expect(growthCurveOf([])).toEqual(empty);
    expect(growthCurveOf(snapshots([0, null], [5, null]))).toEqual(empty);
    expect(growthCurveOf(snapshots([0, 500]))).toEqual({
      ...empty,
      points: [{ at: isoOf(START), views: 500, viewsPerHour: 0 }],
    });
  });

  test('a steady pace is the same at every snapshot, however unevenly it was looked at', () => {
    const hours = [0, 0.01, 0.2, 1, 1.5, 4, 30, 30.01, 31, 90];
    const curve = growthCurveOf(
      snapshots(...hours.map((h): [number, number] => [h, 5000 + h * 1000])),
    );
    expect(new Set(curve.points.map((p) => p.viewsPerHour))).toEqual(new Set([1000]));
    expect(curve).toMatchObject({ peak: { viewsPerHour: 1000 }, phase: 'peaking' });
  });

  test.each([
    ['rising', 30],
    ['peaking', 54],
    ['fading', 75],
    ['flat', 160],
  ])('an S-shaped video is %s after %i hours', (phase, hours) => {
    expect(growthCurveOf(hourly(hours, logistic)).phase).toBe(phase);
  });

  test('the peak of an S-shaped video is at its middle', () => {
    const { peak } = growthCurveOf(hourly(160, logistic));
    expect(Math.abs(Date.parse(peak?.at ?? '') - (START + 48 * HOUR_MS)) / HOUR_MS).toBeLessThan(6);
    expect(peak?.viewsPerHour).toBeGreaterThan(29_000); // the true maximum is 31,250
    expect(peak?.viewsPerHour).toBeLessThan(31_251);
  });

  test('a video that doubles every six hours says so', () => {
    const curve = growthCurveOf(hourly(48, (hour) => 1e6 * 2 ** (hour / 6)));
    expect(curve.doublingHours).toBeCloseTo(6, 1);
    expect(curve.phase).toBe('rising');
  });

  test('a video that stands still is flat and never doubles', () => {
    expect(growthCurveOf(hourly(10, () => 700))).toMatchObject({
      phase: 'flat',
      peak: null,
      doublingHours: null,
    });
    expect(growthCurveOf(hourly(10, () => 0)).phase).toBe('flat');
  });

  test('three snapshots within an hour are too little for a phase', () => {
    expect(growthCurveOf(snapshots([0, 10], [0.5, 20], [0.9, 90])).phase).toBe('unknown');
  });
});

describe('looks that are not what they seem', () => {
  test('a zero between true values is not a count', () => {
    expect(
      viewsOf(snapshots([0, 39_600], [1, 0], [2, 39_700], [3, 0], [4, 0], [5, 40_100])),
    ).toEqual([39_600, 39_700, 40_100]);
  });

  test('a zero before a large first count is not a count, before a small one it is', () => {
    expect(viewsOf(snapshots([0, 0], [1, 39_600], [2, 39_700]))).toEqual([39_600, 39_700]);
    expect(viewsOf(snapshots([0, 0], [1, 40], [2, 90]))).toEqual([0, 40, 90]);
  });

  test('a correction, a dip and a misread peak drop out; the snapshots around them stay', () => {
    const odd = snapshots([0, 1000], [1, 2000], [2, 1995], [3, 3000], [4, 12], [5, 4000], [6, 9e9]);
    const rest = snapshots([7, 5000], [8, 6000]);
    expect(viewsOf([...odd, ...rest])).toEqual([1000, 1995, 3000, 4000, 5000, 6000]);
  });

  test('a count that stands and steps makes no spike', () => {
    const stepping = hourly(72, (hour) => 10_000 + Math.floor(hour / 3) * 300);
    expect(growthCurveOf(stepping).peak?.viewsPerHour).toBeLessThanOrEqual(300);
    expect(growthCurveOf(stepping).points.at(-1)?.viewsPerHour).toBeLessThan(130);
  });

  test('impossible counts, doubled instants and any order are borne', () => {
    const points = snapshots([3, 30], [0, 5], [1, -7], [1, 0.5], [2, 2 ** 54], [0, 4], [4, 60]);
    expect(viewsOf(points)).toEqual([5, 30, 60]);
  });

  test('whatever comes in, the curve never falls, and its peak is its fastest point', () => {
    const point = fc.record({
      at: fc.integer({ min: START, max: START + 900 * HOUR_MS }),
      views: fc.oneof(fc.constant(null), fc.constant(0), fc.maxSafeNat(), fc.nat(5000)),
    });
    fc.assert(
      fc.property(fc.array(point), (points) => {
        const curve = growthCurveOf(points);
        const paces = curve.points.map((p) => p.viewsPerHour);
        curve.points.forEach((p, i) => {
          expect(p.views).toBeGreaterThanOrEqual(curve.points[i - 1]?.views ?? 0);
        });
        expect(paces.every((pace) => Number.isFinite(pace) && pace >= 0)).toBe(true);
        expect(curve.peak?.viewsPerHour ?? 0).toBe(Math.max(0, ...paces));
      }),
    );
  });
});

interface RealSnapshot {
  id: string;
  at: string;
  views: number | null;
  source: string;
}

describe.skipIf(realPath === undefined)('real curves', () => {
  const timelines = new Map<string, { source: string; points: GrowthPoint[] }>();
  if (realPath !== undefined)
    for (const line of realLines('snapshots.ndjson.gz')) {
      const { id, at, views, source } = line as unknown as RealSnapshot;
      const timeline = timelines.get(id) ?? { source, points: [] };
      timeline.points.push({ at: Date.parse(at), views });
      timelines.set(id, timeline);
    }
  const of = (source: string, fewest: number): GrowthPoint[][] =>
    [...timelines.values()]
      .filter((t) => t.source === source && t.points.length >= fewest)
      .map((t) => t.points);

  test('ig-hourly: the snapshots that read 0 leave no trace', () => {
    for (const points of of('ig-hourly', 5)) {
      const positive = points.filter((point) => (point.views ?? 0) > 0);
      const curve = growthCurveOf(points);
      expect(curve.points.slice(1).filter((point) => point.views === 0)).toEqual([]);
      expect(curve.points.length).toBeGreaterThanOrEqual(0.9 * positive.length);
    }
  });

  test('the curve keeps nearly every snapshot of the clean sources', () => {
    for (const source of ['yt-daily-lists', 'yt-hourly-kr', 'yt-radar-kr']) {
      const all = of(source, 5);
      const known = all.flat().filter((p) => p.views !== null).length;
      const kept = all.reduce((sum, points) => sum + growthCurveOf(points).points.length, 0);
      expect(kept / known).toBeGreaterThan(0.95);
    }
  });

  test('half of the snapshots give nearly the same curve', () => {
    const ratios: number[] = [];
    let samePhase = 0;
    const all = of('yt-radar-kr', 20);
    for (const points of all) {
      const whole = growthCurveOf(points);
      const half = growthCurveOf(points.filter((_, i) => i % 2 === 0 || i === points.length - 1));
      if (whole.phase === half.phase) samePhase++;
      if (whole.peak !== null && half.peak !== null)
        ratios.push(half.peak.viewsPerHour / whole.peak.viewsPerHour);
    }
    ratios.sort((a, b) => a - b);
    expect(ratios[Math.floor(ratios.length * 0.1)]).toBeGreaterThan(0.4);
    expect(ratios[Math.floor(ratios.length * 0.9)]).toBeLessThan(1.1);
    expect(samePhase / all.length).toBeGreaterThan(0.9);
  });
});
