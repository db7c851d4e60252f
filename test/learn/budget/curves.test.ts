import { expect, test } from 'vitest';
import { AGE_HOURS, AGE_STEPS, ageStep } from '../../../src/learn/budget/age-grid.ts';
import {
  curveLibrary,
  DORMANT_SLOPE,
  gridCurve,
  logViewsAtStep,
} from '../../../src/learn/budget/curves.ts';
import { AHEAD, growthModel } from '../../../src/learn/budget/growth-model.ts';
import { STATES } from '../../../src/learn/budget/refresh-states.ts';

test('the grid finds the ages it is made of', () => {
  AGE_HOURS.forEach((hours, step) => {
    expect(ageStep(hours)).toBeCloseTo(step, 9);
  });
  expect(ageStep(0)).toBe(0);
  expect(ageStep(1e9)).toBeGreaterThan(AGE_STEPS);
});

test('a curve is log-linear between its observations and slows down after the last', () => {
  const ageHours = [2, 20, 200];
  const curve = gridCurve({ platform: 'tiktok', ageHours, views: [100, 1000, 10_000] });
  if (curve === undefined) throw new Error('expected a curve');
  expect(Math.exp(logViewsAtStep(curve, ageStep(2)))).toBeCloseTo(100, 6);
  expect(Math.exp(logViewsAtStep(curve, ageStep(Math.sqrt(2 * 20))))).toBeCloseTo(316, -1);
  const slopes = Array.from({ length: 8 }, (_, i) => {
    const at = curve.to + i;
    return (curve.logViews[at + 1] ?? 0) - (curve.logViews[at] ?? 0);
  });
  expect(slopes).toEqual(slopes.toSorted((a, b) => b - a));
  expect(Math.min(...slopes)).toBeGreaterThanOrEqual(DORMANT_SLOPE);
});

test('counts that fall, stand at zero or are too few teach nothing wrong', () => {
  const fallen = gridCurve({ platform: 'tiktok', ageHours: [1, 10, 50], views: [0, 500, 400] });
  expect(fallen?.logViews.every((log, i, all) => i === 0 || log >= (all[i - 1] ?? 0))).toBe(true);
  expect(gridCurve({ platform: 'tiktok', ageHours: [], views: [] })).toBeUndefined();
  expect(gridCurve({ platform: 'tiktok', ageHours: [5], views: [10] })).toBeUndefined();
});

test('a lake without curves still expects something of every state', () => {
  const { remains } = growthModel(curveLibrary('youtube', []));
  for (let state = 0; state < STATES; state++) {
    const row = remains.subarray(state * (AHEAD + 1), (state + 1) * (AHEAD + 1));
    expect(row[0]).toBeCloseTo(1, 5);
    expect(row[AHEAD]).toBeLessThan(1); // not never
    expect(row.every((share, i) => i === 0 || share <= (row[i - 1] ?? 0) + 1e-6)).toBe(true);
  }
});

test('what the lake saw outweighs what was believed', () => {
  const ageHours = [1, 2, 4, 8, 16, 32, 64, 128];
  const flat = { platform: 'tiktok' as const, ageHours, views: ageHours.map(() => 5000) };
  const after = (curves: (typeof flat)[]) => {
    const { remains } = growthModel(curveLibrary('tiktok', curves));
    return remains[4 * (AHEAD + 1) * 80 + 5 * (AHEAD + 1) + 8] ?? 0; // age 1 h, one refresh, 5,000 views
  };
  expect(after(new Array(200).fill(flat))).toBeGreaterThan(after([]) + 0.2);
});
