import { expect, test } from 'vitest';
import { kindOf } from '../../../src/base/wire/fields.ts';
import { overviewText } from '../../../src/cli/text/demo-text.ts';
import { driftText } from '../../../src/cli/text/status-text.ts';
import { oneLine, textTable } from '../../../src/cli/text/text-table.ts';

test('numbers stand to the right, null is empty, rows have no line between them', () => {
  const rows = [
    ['a', 5, null],
    ['bcd', 12_345n, 0.5],
  ];
  expect(textTable(['name', 'views', 'rate'], rows, { columns: undefined }).split('\n')).toEqual([
    '┌──────┬───────┬──────┐',
    '│ name │ views │ rate │',
    '├──────┼───────┼──────┤',
    '│ a    │     5 │      │',
    '│ bcd  │ 12345 │  0.5 │',
    '└──────┴───────┴──────┘',
  ]);
});

test('figures that are written out stand to the right too', () => {
  const table = textTable(['calls'], [['5'], ['1,234']], {
    columns: undefined,
    figures: ['calls'],
  });
  expect(table).toContain('│     5 │');
});

test.each([60, 80, 100])(
  'in a terminal of %i columns no line is longer; ids stay whole',
  (columns) => {
    const rows = [
      ['tt_7240348510065823002', 'x'.repeat(300)],
      ['yt_1', '음식 '.repeat(40)],
    ];
    const lines = textTable(['id', 'title'], rows, { columns }).split('\n');
    expect(Math.max(...lines.map((line) => line.replace(/[가-힣]/g, 'xx').length))).toBe(
      Math.min(columns, 22 + 60 + 7),
    );
    expect(lines.join()).toContain('│ tt_7240348510065823002 │');
  },
);

test('no column is narrower than its heading: the others give what the terminal lacks', () => {
  const rows = [['a'.repeat(50), '2026-03-01T12:00:00.000Z', 'b'.repeat(50)]];
  const heads = ['id', 'first_seen_in_the_lake', 'title'];
  const lines = textTable(heads, rows, { columns: 70 }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBe(70);
});

test('where no table fits, each row stands by itself, whole, without what is not known', () => {
  const rows = [
    ['tt_7240348510065823002', 1_103_809, 'a title that is longer than the terminal is wide', 9],
    ['yt_1', null, 'short', 10],
  ];
  const text = textTable(['id', 'views', 'title', 'rank'], rows, { columns: 40 });
  expect(text.split('\n')).toEqual([
    'id     tt_7240348510065823002',
    'views  1103809',
    'title  a title that is longer than the',
    '       terminal is wide',
    'rank   9',
    '',
    'id     yt_1',
    'title  short',
    'rank   10',
  ]);
});

test('a wrapped column keeps its whole text', () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const table = textTable(['because'], [[words.join(' ')]], { columns: 50, wrapped: 'because' });
  expect(words.filter((word) => !table.includes(word))).toEqual([]);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50);
});

test('a text is cut between characters as people see them, by the columns they take', () => {
  expect(oneLine('abcdef', 6)).toBe('abcdef');
  expect(oneLine('abcdefg', 6)).toBe('abcde…');
  expect(oneLine('음식음식', 6)).toBe('음식…');
  expect(oneLine('a👩‍👩‍👧b👩‍👩‍👧c', 4)).toBe('a👩‍👩‍👧…');
});

test('what others wrote moves no cursor', () => {
  const hostile = ' one\n two\u001b[2J\u009b1A ';
  const clean = 'one two [2J 1A';
  expect(oneLine(hostile)).toBe(clean);
  expect(kindOf({ [hostile]: 1 })).toBe(`an object with the fields ${clean}`);
  const drift = { resource: 'content item', field: hostile, sample: '"good"' };
  expect(driftText(drift, 'in GET /feed')).toBe(
    `  content item: ${clean} , first in GET /feed: "good"`,
  );
  const overview = overviewText({
    tables: {},
    top: [{ platform: 'tiktok', user: hostile, title: hostile, views: 5 }],
    rising: [{ tag: hostile, before: 1, now: 2, window: '30d' }],
    noticed: [
      { id: '', kind: 'creator.viral', subject: '', name: hostile, occurredAt: 0, origin: '' },
    ],
    growth: undefined,
  });
  expect(overview.join('')).not.toMatch(/\p{Cc}/u);
});
