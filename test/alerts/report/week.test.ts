import { expect, test } from 'vitest';
import { lastWholeWeek, parseWeek } from '../../../src/alerts/report/week.ts';
import { DAY_MS } from '../../../src/base/durations.ts';
import { isoOf } from '../../../src/base/iso.ts';

test.each([
  ['2026-W46', '2026-W46', '2026-11-09'],
  ['2026w46', '2026-W46', '2026-11-09'],
  ['2026-11-15', '2026-W46', '2026-11-09'], // a Sunday
  ['2026-11-16', '2026-W47', '2026-11-16'], // a Monday
  ['2027-01-03', '2026-W53', '2026-12-28'], // the last week of a year of 53
  ['2024-12-30', '2025-W01', '2024-12-30'], // already the next year's first
  ['2021-01-01', '2020-W53', '2020-12-28'],
])('%s is in %s, which began on %s', (text, name, from) => {
  const week = parseWeek(text);
  expect(week?.name).toBe(name);
  expect(isoOf(week?.from ?? 0)).toBe(`${from}T00:00:00.000Z`);
  expect((week?.to ?? 0) - (week?.from ?? 0)).toBe(7 * DAY_MS);
});

test.each(['2026-W00', '2026-W54', '2025-W53', '2026-02-30', 'last', '', '2026-46'])(
  '%j names no week',
  (text) => expect(parseWeek(text)).toBeUndefined(),
);

test('the last whole week ended at or before the instant', () => {
  const monday = Date.UTC(2026, 10, 16);
  expect(lastWholeWeek(monday).name).toBe('2026-W46');
  expect(lastWholeWeek(monday - 1).name).toBe('2026-W45');
});
