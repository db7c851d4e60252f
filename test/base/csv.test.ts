import { expect, test } from 'vitest';
import { csvLine, spreadsheetText } from '../../src/base/csv.ts';

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\u3000=1',
  '＝1',
  '＋1',
  '－1',
  '＠x',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫x',
  '\ufeff=1',
  '\u200b=1',
  '\0=1',
  ' \n ＝1',
  '\tplain',
  '\nplain',
  '\rplain',
])('%j stands behind an apostrophe', (text) => {
  expect(spreadsheetText(text)).toBe(`'${text}`);
});

test.each(['', 'a=b', ' a', '1-2', 'x@y.z', "'=1", '"=1"', '＃x'])('%j stays', (text) => {
  expect(spreadsheetText(text)).toBe(text);
});

test('a line: numbers stay numbers, unknown values are empty, text is guarded and then quoted', () => {
  expect(csvLine([-1, null, true, 'a', '=HYPERLINK("x","y")', '\n+1'])).toBe(
    `-1,,true,a,"'=HYPERLINK(""x"",""y"")","'\n+1"`,
  );
});
