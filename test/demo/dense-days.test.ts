import { describe, expect, test } from 'vitest';
import { type DayOfLooks, densestStretch } from '../../src/demo/dense-days.ts';

const looks = (platform: string, day: number, count: number): DayOfLooks => ({
  platform,
  day,
  looks: count,
});

describe('the days worth living through', () => {
  test('are those on which many platforms were looked at, not those with most looks', () => {
    const days = [
      ...[1, 2, 3].flatMap((day) => [looks('tiktok', day, 50), looks('instagram', day, 50)]),
      ...[11, 12, 13].map((day) => looks('youtube', day, 400)),
    ];
    expect(densestStretch(days, 3)).toBe(3);
  });

  test('are the newest of equal ones', () => {
    const days = [1, 2, 8, 9].map((day) => looks('youtube', day, 10));
    expect(densestStretch(days, 2)).toBe(9);
  });

  test('may have gaps, and may be fewer than asked for', () => {
    expect(densestStretch([looks('youtube', 5, 10)], 30)).toBe(5);
    expect(densestStretch([looks('youtube', 5, 10), looks('youtube', 7, 10)], 3)).toBe(7);
  });

  test('do not exist without looks', () => {
    expect(densestStretch([], 3)).toBeUndefined();
  });
});
