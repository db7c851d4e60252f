import { describe, expect, test } from 'vitest';
import { type DayOfSnapshots, densestStretch } from '../../../src/sandbox/demo/dense-days.ts';

const snapshots = (platform: string, day: number, count: number): DayOfSnapshots => ({
  platform,
  day,
  snapshots: count,
});

describe('the days worth living through', () => {
  test('are those on which many platforms were looked at, not those with most snapshots', () => {
    const days = [
      ...[1, 2, 3].flatMap((day) => [
        snapshots('tiktok', day, 50),
        snapshots('instagram', day, 50),
      ]),
      ...[11, 12, 13].map((day) => snapshots('youtube', day, 400)),
    ];
    expect(densestStretch(days, 3)).toBe(3);
  });

  test('are the newest of equal ones', () => {
    const days = [1, 2, 8, 9].map((day) => snapshots('youtube', day, 10));
    expect(densestStretch(days, 2)).toBe(9);
  });

  test('may have gaps, and may be fewer than asked for', () => {
    expect(densestStretch([snapshots('youtube', 5, 10)], 30)).toBe(5);
    expect(densestStretch([snapshots('youtube', 5, 10), snapshots('youtube', 7, 10)], 3)).toBe(7);
  });

  test('do not exist without snapshots', () => {
    expect(densestStretch([], 3)).toBeUndefined();
  });
});
