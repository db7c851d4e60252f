import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Text whose every character takes one column. */
const NARROW = /^[\x20-\x7e]*$/;

/**
 * Columns of a text in a terminal. string-width takes 15 ms to load, so it is loaded only when
 * needed.
 */
export const displayWidth = (text: string): number => {
  if (NARROW.test(text)) return text.length;
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
};

/** Lines to keep whole: commands, and lines of tables. */
const WHOLE = /(^\s*|[ `])(npm run |trendlake [a-z])|^[│┌├└|+]/;

const DEEPER = '  ';

/** Breaks a line between words; continuation lines are indented further. */
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

/** Wraps text for a terminal, which would break inside words. Unchanged without a terminal. */
export const flowed = (text: string, columns: number | undefined): string =>
  columns === undefined
    ? text
    : text
        .split('\n')
        .flatMap((line) => inLines(line, columns))
        .join('\n');
