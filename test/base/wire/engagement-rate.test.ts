import { expect, test } from 'vitest';
import { engagementRate } from '../../../src/base/wire/engagement-rate.ts';

test('the engagement rate is 100 x likes / views, unknown where it cannot be computed', () => {
  expect(engagementRate({ likes: 5, views: 200 })).toBe(2.5);
  for (const counts of [
    { views: 0, likes: 5 },
    { views: null, likes: 5 },
    { views: 5, likes: null },
  ])
    expect(engagementRate(counts)).toBe(null);
});
