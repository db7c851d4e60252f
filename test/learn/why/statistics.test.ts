import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quantile } from '../../../src/learn/model/quantiles.ts';
import {
  cautious,
  medianInterval,
  rankIn,
  shareDifference,
  shareInterval,
  Z_95,
} from '../../../src/learn/why/statistics.ts';

const near = (value: number): unknown => expect.closeTo(value, 3);

describe('against published examples', () => {
  test("Wilson's interval", () => {
    expect(shareInterval(8, 10)).toEqual({ low: near(0.49), high: near(0.943) });
    expect(shareInterval(0, 10)).toEqual({ low: near(0), high: near(0.278) });
    expect(shareInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  test("Newcombe's difference of 56/70 and 48/80", () => {
    const a = { successes: 56, trials: 70 };
    const b = { successes: 48, trials: 80 };
    expect(shareDifference(a, b, Z_95)).toEqual({
      difference: near(0.2),
      low: near(0.0524),
      high: near(0.3339),
    });
  });

  test('quantiles and medians', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([], 0.5)).toBeNaN();
    expect(medianInterval([5])).toEqual({ median: 5, low: 5, high: 5 });
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(medianInterval(hundred)).toEqual({ median: 50.5, low: 41, high: 61 });
  });

  test('a rank counts half of the equal ones', () => {
    expect(rankIn([1, 2, 2, 3], 2).share).toBe(0.5);
    expect(rankIn([], 2)).toEqual({ share: 0, low: 0, high: 1 });
  });
});

test('intervals hold their estimate and stay in bounds', () => {
  fc.assert(
    fc.property(fc.nat(500), fc.nat(500), (a, b) => {
      const { low, high } = shareInterval(a, a + b);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      if (a + b > 0) expect(low - 1e-9 <= a / (a + b) && a / (a + b) <= high + 1e-9).toBe(true);
    }),
  );
});

test('the cautious end is the one nearer to no difference', () => {
  expect(cautious({ low: 2, high: 9 }, 1)).toBe(2);
  expect(cautious({ low: 0.1, high: 0.5 }, 1)).toBe(0.5);
  expect(cautious({ low: 0.5, high: 2 }, 1)).toBe(1);
});
