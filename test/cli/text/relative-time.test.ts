import { expect, test } from 'vitest';
import { relativeTime, timeText } from '../../../src/cli/text/relative-time.ts';

const NOW = Date.UTC(2026, 2, 1, 12);

test.each([
  [0, 'now'],
  [-31_000, '31 s ago'],
  [31_000, 'in 31 s'],
  [-119_000, '119 s ago'],
  [-5 * 60_000, '5 min ago'],
  [-26 * 3_600_000, '26 h ago'],
  [72 * 3_600_000, 'in 3 d'],
])('%i ms from now is %s', (ms, text) => {
  expect(relativeTime(NOW + ms, NOW)).toBe(text);
});

test('beside the exact time', () => {
  expect(timeText(NOW - 60_000, NOW)).toBe('2026-03-01T11:59:00.000Z (60 s ago)');
});
