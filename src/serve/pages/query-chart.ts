import { html } from 'hono/html';
import type { SqlCell, SqlTable } from '../request/sql-queries.ts';
import { digits, number } from './figures.ts';
import { type Html, NOTHING } from './html.ts';
import { type ChartLine, lineChart } from './line-chart.ts';

const MOST_LINES = 4;
const MOST_BARS = 30;
/** Lines with numbers this many times smaller than the first are left out. */
const SAME_SCALE = 50;
const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;
const TIME_NAME = /(?:_at|at|date|day|hour|time)$/i;
const EARLIEST = Date.UTC(2001, 0);
const LATEST = Date.UTC(2100, 0);

type ChartColumn = readonly SqlCell[];

const instantOf = (cell: SqlCell): number | undefined => {
  if (typeof cell === 'number') return cell >= EARLIEST && cell <= LATEST ? cell : undefined;
  if (typeof cell !== 'string' || !ISO.test(cell)) return undefined;
  const at = Date.parse(cell.length > 10 && !/Z|[+-]\d\d:?\d\d$/.test(cell) ? `${cell}Z` : cell);
  return Number.isNaN(at) ? undefined : at;
};

const all = (column: ChartColumn, test: (cell: SqlCell) => boolean): boolean =>
  column.some((cell) => cell !== null) && column.every((cell) => cell === null || test(cell));

const isTime = (column: ChartColumn, name: string): boolean =>
  all(column, (cell) => instantOf(cell) !== undefined) &&
  (TIME_NAME.test(name) || typeof column[0] === 'string');

const isNumber = (column: ChartColumn): boolean => all(column, (cell) => typeof cell === 'number');

const largest = (column: ChartColumn): number =>
  Math.max(...column.map((cell) => (typeof cell === 'number' ? Math.abs(cell) : 0)));

const lineOf = (
  name: string,
  kind: string,
  times: ChartColumn,
  values: ChartColumn,
): ChartLine => ({
  name,
  kind,
  points: times
    .flatMap((cell, row) => {
      const [x, y] = [instantOf(cell), values[row]];
      return x === undefined || typeof y !== 'number' ? [] : [{ x, y }];
    })
    .sort((a, b) => a.x - b.x),
});

/** One line per distinct word, such as per platform. */
const splitLines = (
  words: ChartColumn,
  times: ChartColumn,
  values: ChartColumn,
): ChartLine[] | undefined => {
  const names = [...new Set(words)];
  if (names.length < 2 || names.length > MOST_LINES) return undefined;
  return names.map((name, i) =>
    lineOf(
      String(name),
      `c${i}`,
      times.map((at, row) => (words[row] === name ? at : null)),
      values,
    ),
  );
};

/** Says why a chosen chart is missing. */
const notDrawn = (chart: string, reason: string): Html =>
  chart === 'auto' ? NOTHING : html`<p class="soft small">No chart: ${chart} ${reason}.</p>`;

const bars = (names: ChartColumn, values: ChartColumn, what: string): Html => {
  const most = largest(values) || 1;
  const shown = values.slice(0, MOST_BARS);
  return html`<table class="bars"><caption class="unseen">${what}, as bars</caption><tbody>${shown.map(
    (value, row) =>
      html`<tr><th scope="row" dir="auto">${names[row] ?? '–'}</th><td><div class="meter" style="width:${((100 * Math.abs(Number(value ?? 0))) / most).toFixed(1)}%"></div></td><td class="n">${typeof value === 'number' ? number(value) : '–'}</td></tr>`,
  )}</tbody></table>${values.length > shown.length ? html`<p class="soft small">The first ${digits(shown.length)} rows.</p>` : NOTHING}`;
};

export const CHART_KINDS = ['auto', 'lines', 'bars', 'none'] as const;

/** Chart that a reader chose. Empty column names: found in the result. */
export interface ChartChoice {
  readonly chart: (typeof CHART_KINDS)[number];
  readonly x: string;
  readonly y: string;
}

/** Chart of the shown rows: lines for a time and numbers, bars for words and a number, else nothing. */
export const queryChart = ({ columns, rows }: SqlTable, { chart, x, y }: ChartChoice): Html => {
  if (chart === 'none' || rows.length < 2) return NOTHING;
  const cells = columns.map((_, at) => rows.map((row) => row[at] ?? null));
  const column = (at: number): ChartColumn => cells[at] ?? [];
  const indices = columns.map((_, at) => at);
  const [wantedX, wantedY] = [columns.indexOf(x), columns.indexOf(y)];
  const isWanted = (at: number): boolean => wantedX < 0 || at === wantedX;
  const time = indices.find((at) => isWanted(at) && isTime(column(at), columns[at] ?? ''));
  const numbers = indices
    .filter((at) => at !== time && isNumber(column(at)))
    .filter((at) => wantedY < 0 || at === wantedY);
  const words = indices.find((at) => at !== time && all(column(at), (c) => typeof c === 'string'));
  const [first] = numbers;
  if (first === undefined) return notDrawn(chart, 'need a column of numbers');
  if (chart === 'bars' || (time === undefined && chart === 'auto')) {
    const names = wantedX >= 0 ? wantedX : (words ?? time);
    return names === undefined
      ? notDrawn(chart, 'need a column of names')
      : bars(column(names), column(first), columns[first] ?? '');
  }
  if (time === undefined) return notDrawn(chart, 'need a column of dates or instants');
  const split =
    words === undefined ? undefined : splitLines(column(words), column(time), column(first));
  const scale = largest(column(first));
  const alike = numbers
    .filter((at) => largest(column(at)) * SAME_SCALE >= scale)
    .slice(0, MOST_LINES);
  const lines =
    split ?? alike.map((at, i) => lineOf(columns[at] ?? '', `c${i}`, column(time), column(at)));
  return lines.every(({ points }) => points.length < 2)
    ? notDrawn(chart, 'need two rows with a time and a number')
    : lineChart({
        lines,
        label: `${lines.map(({ name }) => name).join(', ')} over time`,
      });
};
