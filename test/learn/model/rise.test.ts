import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { learnRise, likelyOverBy, riseEnd } from '../../../src/learn/model/rise.ts';

/** Views at each hour from a start. */
const curveOf = (views: readonly number[], from = 0) => ({
  createdAt: from,
  points: views.map((count, hour) => ({ at: from + hour * HOUR_MS, views: count })),
});

test('a rise ends where the pace first halves after its peak', () => {
  expect(riseEnd(curveOf([100, 150, 350, 520, 600, 610]))).toBe(3 * HOUR_MS);
  expect(riseEnd(curveOf([100, 200, 300, 400]))).toBe(3 * HOUR_MS); // still rising at the last snapshot
  expect(riseEnd(curveOf([100, 100]))).toBeUndefined();
  expect(riseEnd(curveOf([100]))).toBeUndefined();
});

test('8 in 10 videos of a state stopped by the stated instant, and rare states state nothing', () => {
  const endings = Array.from({ length: 200 }, (_, index) => 3 + (index % 10)); // hours of even pace
  const finished = endings.map((hours) => {
    const views = Array.from({ length: 16 }, (_, hour) => 100 + 50 * Math.min(hour, hours));
    return { curve: curveOf(views), growth: 1 };
  });
  const table = learnRise(finished, () => [1]);
  const asked = curveOf([100, 150]);
  const overBy = likelyOverBy(table, asked, 1) ?? 0;
  const over = endings.filter((hours) => hours * HOUR_MS <= overBy).length;
  expect(over / endings.length).toBeGreaterThanOrEqual(0.8);
  expect(over / endings.length).toBeLessThanOrEqual(0.9);
  expect(likelyOverBy(table, curveOf([100]), 0)).toBeNull(); // no pace yet
  expect(
    likelyOverBy(
      learnRise(finished.slice(0, 50), () => [1]),
      asked,
      1,
    ),
  ).toBeNull();
});
