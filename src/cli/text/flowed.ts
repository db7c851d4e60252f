import { displayWidth } from './display-width.ts';

/** Lines that are copied as they are, or drawn: commands, and the lines of tables. */
const WHOLE = /(^\s*|[ `])(npm run |trendlake [a-z])|^[│┌├└|+]/;

const DEEPER = '  ';

/** One line in lines of at most `columns`, broken between words, the further ones further in. */
const inLines = (line: string, columns: number): string[] => {
  if (WHOLE.test(line) || displayWidth(line) <= columns) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const word of line.slice(indent.length).split(' ')) {
    const longer = isEmpty ? `${current}${word}` : `${current} ${word}`;
    if (isEmpty || displayWidth(longer) <= columns) current = longer;
    else {
      lines.push(current.trimEnd());
      current = `${indent}${DEEPER}${word}`;
    }
    isEmpty = current.trim() === '';
  }
  return [...lines, current];
};

/**
 * Text for a terminal of so many columns, which breaks lines inside of words; as it is for anything
 * else.
 */
export const flowed = (text: string, columns: number | undefined): string =>
  columns === undefined
    ? text
    : text
        .split('\n')
        .flatMap((line) => inLines(line, columns))
        .join('\n');
