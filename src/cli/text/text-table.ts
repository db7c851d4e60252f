import { terminalLine } from '../../base/terminal-text.ts';
import { displayWidth } from './flowed.ts';

let segmenter: Intl.Segmenter | undefined; // takes 20 ms to make, and few texts need it

const graphemesOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
};

const WIDEST_TEXT = 60;

/**
 * Text on one line, truncated to `widest` columns, without control characters: it comes from
 * outside.
 */
export const oneLine = (text: string, widest = WIDEST_TEXT): string => {
  const line = terminalLine(text);
  if (line.length <= widest && !/[^ -~]/.test(line)) return line;
  let width = 0;
  let fitting = ''; // the longest part that leaves room for the ellipsis
  for (const { segment } of graphemesOf(line)) {
    width += displayWidth(segment);
    if (width > widest) return `${fitting}…`;
    if (width < widest) fitting += segment;
  }
  return line;
};

/** Content of a cell: numbers align right, null is empty. */
export type Cell = string | number | bigint | null;

export interface TableWish {
  /** Columns of the terminal, to which wide texts are cut; undefined without a terminal. */
  readonly columns: number | undefined;
  /** Column whose text is wrapped instead of cut. */
  readonly wrapped?: string;
  /** Columns of formatted numbers such as `1,200` or `4 %`, which align right. */
  readonly figures?: readonly string[];
}

const NARROWEST_TEXT = 12;
const BORDERS = 3; // per column: a blank on both sides and a line

/** Narrows the widest columns until the table fits. */
const fittedWidths = (
  natural: readonly number[],
  narrowest: readonly number[],
  columns: number,
): number[] => {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width + BORDERS, 1);
  while (total() > columns) {
    const wide = widths.map((width, i) => (width > (narrowest[i] ?? 0) ? width : 0));
    const widest = Math.max(...wide);
    if (widest === 0) break;
    widths[wide.indexOf(widest)] = widest - 1;
  }
  return widths;
};

const padded = (text: string, width: number, toTheLeft: boolean): string => {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toTheLeft ? `${text}${blanks}` : `${blanks}${text}`;
};

/** Wraps a text between words, and inside words wider than `width`. */
const wrappedLines = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of terminalLine(text).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const { segment } of graphemesOf(word)) {
      if (displayWidth(line + segment) > width) {
        lines.push(line);
        line = '';
      }
      line += segment;
    }
  }
  return line === '' ? lines : [...lines, line];
};

/** Each row as a block with one line per column, for a narrow terminal. */
const recordsText = (
  head: readonly string[],
  cells: readonly (readonly string[])[],
  columns: number,
): string => {
  const names = Math.max(...head.map((name) => displayWidth(name)));
  const width = Math.max(NARROWEST_TEXT, columns - names - 2);
  const recordOf = (texts: readonly string[]): string =>
    texts
      .flatMap((text, i) =>
        text === ''
          ? []
          : wrappedLines(text, width).map(
              (line, n) => `${padded(n === 0 ? (head[i] ?? '') : '', names, true)}  ${line}`,
            ),
      )
      .join('\n');
  return cells.map(recordOf).join('\n\n');
};

/**
 * Formats rows as a table for people, at most 60 columns a text or as wide as the terminal. In a
 * terminal that is too narrow each row becomes a block.
 */
export const textTable = (
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { columns, wrapped, figures = [] }: TableWish,
): string => {
  const isText = head.map(
    (name, i) => !figures.includes(name) && rows.some((row) => typeof row[i] === 'string'),
  );
  const wraps = head.map((name) => name === wrapped);
  const cells = rows.map((row) =>
    row.map((cell, i) => {
      const text = String(cell ?? '');
      return wraps[i] ? text : oneLine(text);
    }),
  );
  const natural = head.map((name, i) =>
    Math.max(
      displayWidth(name),
      Math.min(
        WIDEST_TEXT,
        cells.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? '')), 0),
      ),
    ),
  );
  const narrowest = head.map((name, i) =>
    isText[i] ? Math.max(NARROWEST_TEXT, displayWidth(name)) : Number.POSITIVE_INFINITY,
  );
  const widths = fittedWidths(natural, narrowest, columns ?? Number.POSITIVE_INFINITY);
  const total = widths.reduce((sum, width) => sum + width + BORDERS, 1);
  if (columns !== undefined && total > columns && cells.length > 0)
    return recordsText(head, cells, columns);
  const line = (left: string, between: string, right: string): string =>
    `${left}${widths.map((width) => '─'.repeat(width + 2)).join(between)}${right}`;
  const row = (texts: readonly string[]): string =>
    `│${texts.map((text, i) => ` ${padded(text, widths[i] ?? 0, isText[i] === true)} `).join('│')}│`;
  const rowLines = (texts: readonly string[]): string[] => {
    const parts = texts.map((text, i) =>
      wraps[i] ? wrappedLines(text, widths[i] ?? 0) : [oneLine(text, widths[i])],
    );
    const height = Math.max(1, ...parts.map((lines) => lines.length));
    return Array.from({ length: height }, (_, n) => row(parts.map((lines) => lines[n] ?? '')));
  };
  const middle = line('├', '┼', '┤');
  const body = cells.map((texts) => rowLines(texts).join('\n'));
  return [
    line('┌', '┬', '┐'),
    row(head.map((name, i) => oneLine(name, widths[i]))),
    middle,
    body.join(wrapped === undefined ? '\n' : `\n${middle}\n`),
    line('└', '┴', '┘'),
  ]
    .filter((part) => part !== '')
    .join('\n');
};
