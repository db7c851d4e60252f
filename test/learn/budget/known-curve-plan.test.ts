import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planKnownCurve, refreshesAfter } from '../../../bench/budget/known-curve-plan.ts';

/** A rising curve and the integral of 1/V along it. */
const curveOf = (gains: readonly number[]) => {
  const views = new Float64Array(gains.length + 1).fill(1);
  const inverse = new Float64Array(gains.length + 1);
  gains.forEach((gain, i) => {
    views[i + 1] = (views[i] ?? 1) + gain;
    inverse[i + 1] = (inverse[i] ?? 0) + (1 / (views[i] ?? 1) + 1 / (views[i + 1] ?? 1)) / 2;
  });
  return { views, inverse };
};

/** The least cost by trying every next refresh: what the convex hull trick must equal. */
const slowCosts = (views: Float64Array, inverse: Float64Array, price: (b: number) => number) => {
  const end = views.length - 1;
  const cost = new Float64Array(end + 1);
  for (let a = end - 1; a >= 0; a--) {
    let least = Number.POSITIVE_INFINITY;
    for (let b = a + 1; b <= end; b++) {
      const error = b - a - (views[a] ?? 0) * ((inverse[b] ?? 0) - (inverse[a] ?? 0));
      least = Math.min(least, error + (b < end ? price(b) + (cost[b] ?? 0) : 0));
    }
    cost[a] = least;
  }
  return cost;
};

const gains = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), {
  minLength: 1,
  maxLength: 40,
});

test('is as cheap as the best of all sequences of refreshes', () => {
  fc.assert(
    fc.property(gains, fc.double({ min: 0, max: 5, noNaN: true }), (steps, level) => {
      const { views, inverse } = curveOf(steps);
      const price = (at: number) => level * (1 + (at % 3));
      const { cost } = planKnownCurve(views, inverse, price);
      slowCosts(views, inverse, price).forEach((least, at) => {
        expect(cost[at]).toBeCloseTo(least, 6);
      });
    }),
  );
});

test('a dearer look is made no more often', () => {
  fc.assert(
    fc.property(gains, fc.double({ min: 0.01, max: 2, noNaN: true }), (steps, price) => {
      const { views, inverse } = curveOf(steps);
      const cheap = refreshesAfter(
        planKnownCurve(views, inverse, () => price),
        0,
      );
      const dear = refreshesAfter(
        planKnownCurve(views, inverse, () => price * 3),
        0,
      );
      expect(dear.length).toBeLessThanOrEqual(cheap.length);
    }),
  );
});

test('a video that stands still is not looked at', () => {
  const { views, inverse } = curveOf(new Array(50).fill(0));
  expect(
    refreshesAfter(
      planKnownCurve(views, inverse, () => 0.1),
      0,
    ),
  ).toEqual([]);
});
