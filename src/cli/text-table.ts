import Table from 'cli-table3';
import { withoutControls } from '../wire/fields.ts';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const TWO_COLUMNS =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3fffd}]/u;

const NO_COLUMN = /[\u0300-\u036f\p{Cf}]/gu;

const columnsOf = (grapheme: string): number =>
  TWO_COLUMNS.test(grapheme) ? 2 : [...grapheme.replace(NO_COLUMN, '')].length;

/** Terminal columns that a text takes. */
const widthOf = (text: string): number => {
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += columnsOf(segment);
  return width;
};

const WIDEST_TEXT = 60;

/**
 * A text on one line, cut off with an ellipsis where it takes more than `widest` columns, and
 * without what would move a terminal's cursor: others wrote it.
 */
export const oneLine = (text: string, widest = WIDEST_TEXT): string => {
  const line = withoutControls(text);
  let width = 0;
  let fitting = ''; // the longest part after which an ellipsis has its place
  for (const { segment } of GRAPHEMES.segment(line)) {
    width += columnsOf(segment);
    if (width > widest) return `${fitting}…`;
    if (width < widest) fitting += segment;
  }
  return line;
};

/** What stands in a table: numbers stand to the right, null stays empty. */
export type Cell = string | number | bigint | null;

interface TableWish {
  /** Columns of the terminal, so that wide texts are cut to fit; undefined where there is none. */
  readonly columns: number | undefined;
  /** The name of a column whose text is wrapped instead of cut. */
  readonly wrapped?: string;
  /** Names of columns of figures that are written out already, such as `1,200` or `4 %`. */
  readonly figures?: readonly string[];
}

const NARROWEST_TEXT = 12;
const BORDERS = 3; // of each column: a blank on both sides and a line

/** Takes from the widest texts until the table fits, or no column can be any narrower. */
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

/** Rows as a table for people: text on one line, at most 60 columns wide or what the terminal has. */
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
      widthOf(name),
      Math.min(
        WIDEST_TEXT,
        cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? '')), 0),
      ),
    ),
  );
  const narrowest = head.map((name, i) =>
    isText[i] ? Math.max(NARROWEST_TEXT, widthOf(name)) : Number.POSITIVE_INFINITY,
  );
  const widths = fittedWidths(natural, narrowest, columns ?? Number.POSITIVE_INFINITY);
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: wrapped === undefined },
    colAligns: isText.map((is) => (is ? 'left' : 'right')),
    colWidths: widths.map((width, i) => (wraps[i] ? width + BORDERS - 1 : null)),
    wordWrap: true,
  });
  for (const row of cells)
    table.push(row.map((text, i) => (wraps[i] ? text : oneLine(text, widths[i]))));
  return table.toString();
};
