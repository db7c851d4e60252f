import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/base/durations.ts';
import { densestStretch } from '../../../src/sandbox/demo/dense-days.ts';

type Day = readonly [platform: string, day: number, snapshots: number];

/** The last day of the densest stretch of a lake with these snapshots. */
const densest = (days: readonly Day[], length: number): number | undefined => {
  const sqlite = new Database(':memory:');
  sqlite.exec(`create table video (key integer primary key, platform text);
    create table video_snapshot (video_key integer, observed_at integer)`);
  const video = sqlite.prepare('insert into video (platform) values (?)');
  const snapshot = sqlite.prepare('insert into video_snapshot values (?, ?)');
  for (const [platform, day, snapshots] of days) {
    const key = video.run(platform).lastInsertRowid;
    for (let n = 0; n < snapshots; n++) snapshot.run(key, BigInt(day * DAY_MS + n));
  }
  return densestStretch({ sqlite }, 100 * DAY_MS, length);
};

describe('the days worth living through', () => {
  test('are those on which many platforms were looked at, not those with most snapshots', () => {
    const days: Day[] = [
      ...[1, 2, 3].flatMap((day): Day[] => [
        ['tiktok', day, 50],
        ['instagram', day, 50],
      ]),
      ...[11, 12, 13].map((day): Day => ['youtube', day, 400]),
    ];
    expect(densest(days, 3)).toBe(3);
  });

  test('are the newest of equal ones', () => {
    const days = [1, 2, 8, 9].map((day): Day => ['youtube', day, 10]);
    expect(densest(days, 2)).toBe(9);
  });

  test('may have gaps, and may be fewer than asked for', () => {
    expect(densest([['youtube', 5, 10]], 30)).toBe(5);
    const days = [5, 7].map((day): Day => ['youtube', day, 10]);
    expect(densest(days, 3)).toBe(7);
  });

  test('do not exist without snapshots before the instant', () => {
    expect(densest([], 3)).toBeUndefined();
    expect(densest([['youtube', 100, 10]], 3)).toBeUndefined();
  });
});
