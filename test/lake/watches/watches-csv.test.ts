import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/base/durations.ts';
import { readWatchesCsv } from '../../../src/lake/watches/watches-csv.ts';

const NOW = Date.UTC(2026, 2, 9);
const read = (text: string) => readWatchesCsv(text, NOW);

test('reads rows with quotes, blank lines, a byte order mark and Windows line ends', () => {
  const { watches, problems } = read(
    '\ufeffSubject,platform,every,tags,until,note\r\n@maker,TikTok,6h,acme; spring,2026-12-31,"a ""note"", quoted"\r\n\r\n"street food",,,,,\r\n',
  );
  expect(problems).toEqual([]);
  expect(watches).toEqual([
    {
      line: 2,
      parsed: { kind: 'creator', platform: 'tiktok', subject: 'maker' },
      everyMs: 6 * HOUR_MS,
      tags: ['acme', 'spring'],
      until: Date.UTC(2026, 11, 31),
      note: 'a "note", quoted',
    },
    {
      line: 4,
      parsed: { kind: 'search', platform: null, subject: 'street food' },
      everyMs: null,
      tags: [],
      until: null,
      note: null,
    },
  ]);
});

test('a column `kind` says what a bare word is', () => {
  const { watches } = read(
    'subject,kind,platform\nmaker,creator,youtube\nfood,hashtag,\nfood,search,\n',
  );
  expect(watches.map(({ parsed }) => parsed.kind)).toEqual(['creator', 'hashtag', 'search']);
});

test('names each invalid row by its line and keeps the others', () => {
  const { watches, problems } = read(
    'subject,platform,every,until\n@a,tiktok,1d,\n@b,vine,1d,\n@c,tiktok,often,\n@d,tiktok,1d,2020-01-01\nberlin,,,\n',
  );
  expect(watches.map(({ line }) => line)).toEqual([2]);
  expect(problems).toEqual([
    { line: 3, problem: expect.stringContaining('It is "vine"') },
    { line: 4, problem: expect.stringContaining('It is "often"') },
    { line: 5, problem: expect.stringContaining('is in the past') },
    { line: 6, problem: expect.stringContaining('could be a handle') },
  ]);
});

test('refuses a file without the column, or with an unknown one', () => {
  expect(() => read('handle\n@a\n')).toThrow(/Column "handle" is unknown/);
  expect(() => read('note\nx\n')).toThrow(/no column "subject"/);
});
