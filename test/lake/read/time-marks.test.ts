import { expect, test } from 'vitest';
import { LakeBuilder } from '../../../fixtures/lake-builder.ts';
import { timeMarks } from '../../../src/lake/read/time-marks.ts';
import { freshFolder } from '../../support/fresh.ts';
import { openTestLake } from '../../support/test-lake.ts';

const at = (day: number, hour: number, minute = 0): number => Date.UTC(2026, 2, day, hour, minute);

test('marks days and pulls, with the pulls before and after the instant', () => {
  const lake = openTestLake(freshFolder());
  const builder = new LakeBuilder(lake);
  const pull = (when: number) =>
    builder.list({
      list: 'feed',
      platform: 'tiktok',
      period: '24h',
      at: when,
      total: 0,
      ranks: [],
    });
  for (const when of [at(1, 6), at(3, 6), at(3, 12), at(3, 12, 20), at(9, 6)]) pull(when);

  const marks = timeMarks(lake, at(3, 18), at(10, 0));
  expect(marks.firstAt).toBe(at(1, 6));
  expect([...marks.days.keys()]).toEqual(['2026-03-01', '2026-03-03', '2026-03-09']);
  expect(marks.pulls).toEqual([at(3, 6), at(3, 12, 20)]);
  expect([marks.previous, marks.next]).toEqual([at(3, 12, 20), at(9, 6)]);
  expect(timeMarks(lake, at(3, 18), at(3, 7)).pulls).toEqual([at(3, 6)]);
  expect(timeMarks(lake, at(5, 18), at(10, 0)).pulls).toEqual([]);
  lake.close();
});
