import { expect, test } from 'vitest';
import { flowed } from '../../../src/cli/text/flowed.ts';

test('lines are broken between words, the further ones further in', () => {
  expect(flowed('  12 of 50,000 calls spent; the rest lasts until then', 30)).toBe(
    '  12 of 50,000 calls spent;\n    the rest lasts until then',
  );
  expect(flowed('short\n\n  feed   next 5 min', 30)).toBe('short\n\n  feed   next 5 min');
  expect(flowed(`a ${'x'.repeat(40)} b`, 10)).toBe(`a\n  ${'x'.repeat(40)}\n  b`);
});

test('what is copied or drawn stays whole, and so does what goes to no terminal', () => {
  for (const line of [
    '  trendlake query "select rank, title from feed_now limit 10"',
    'Run `npm run -s trendlake -- doctor --restore` again; nothing is lost.',
    '│ a table that is wider than that │',
  ])
    expect(flowed(line, 20)).toBe(line);
  expect(flowed('one two three four five', undefined)).toBe('one two three four five');
});
