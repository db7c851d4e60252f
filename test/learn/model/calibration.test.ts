import { expect, test } from 'vitest';
import { calibrationOf, probabilityOf } from '../../../src/learn/model/calibration.ts';

/** Curves whose logits are right: 1 in 10 on top at -2.2, 9 in 10 at 2.2. */
const rightCurves = (tens: number) =>
  [-1, 1].flatMap((side) =>
    Array.from({ length: 10 * tens }, (_, i) => ({
      logit: side * Math.log(9),
      top: i % 10 === 0 ? side < 0 : side > 0,
      weight: 1,
    })),
  );

test('few curves are less sure than many, and the base keeps its probability', () => {
  const [few, many] = [calibrationOf(rightCurves(3)), calibrationOf(rightCurves(300))];
  const sure = Math.log(9);
  expect(probabilityOf(many, sure)).toBeCloseTo(0.9, 2);
  expect(probabilityOf(few, sure)).toBeLessThan(0.86);
  expect(probabilityOf(few, sure)).toBeGreaterThan(0.6);
  expect(probabilityOf(few, -sure)).toBeCloseTo(0.1, 1);
});

test('without curves a calibration stays finite', () => {
  const { scale, shift } = calibrationOf([]);
  expect(scale).toBeGreaterThan(0);
  expect(Number.isFinite(shift)).toBe(true);
});
