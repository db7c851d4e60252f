import { csvField, spreadsheetText } from '../../base/csv.ts';
import { terminalText } from '../../base/terminal-text.ts';
import type { RowFormat } from './query-request.ts';

/** A value as SQLite gives it, integers as bigint. */
export type SqlValue = string | number | bigint | Buffer | null;

const shown = (value: SqlValue): string =>
  value === null ? '' : Buffer.isBuffer(value) ? `<${value.length} bytes>` : String(value);

const csvValue = (value: SqlValue, isSafe: boolean): string => {
  const plain = shown(value);
  return csvField(isSafe && typeof value === 'string' ? spreadsheetText(plain) : plain);
};

/** As a number where a double holds it, else as text. */
const exactOrText = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

const jsonValue = (value: SqlValue): unknown => {
  if (typeof value === 'bigint') return exactOrText(value);
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
};

/** Whole numbers as they are, others with three decimals, small fractions with three digits. */
const readable = (value: number): number =>
  Number.isInteger(value)
    ? value
    : Math.abs(value) >= 1
      ? Math.round(value * 1000) / 1000
      : Number(value.toPrecision(3));

/** A cell of a table as JSON holds it: an integer past 2^53 in an object, so that it stays a number. */
const cell = (value: SqlValue): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? readable(value) : String(value);
  if (typeof value === 'bigint') {
    const number = exactOrText(value);
    return typeof number === 'string' ? { integer: number } : number;
  }
  return value === null ? null : shown(value);
};

const cut = (value: SqlValue, most: number): SqlValue =>
  typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value;

/** Texts of rows in one format. */
export interface RowText {
  /** Text before the first row. */
  readonly head: string;
  row(values: readonly SqlValue[], isFirst: boolean): string;
  /** Text after the last row, given their number. */
  tail(rows: number): string;
}

/** @param isSafe see `QueryRequest` @param cellCharacters longer cells are cut; undefined: none is */
export const rowText = (
  columns: readonly string[],
  format: RowFormat,
  { isSafe, cellCharacters }: { isSafe: boolean; cellCharacters?: number | undefined },
): RowText => {
  if (format === 'csv') {
    const line = (values: readonly SqlValue[]): string =>
      `${values.map((value) => csvValue(value, isSafe)).join(',')}\n`;
    return { head: line(columns), row: line, tail: () => '' };
  }
  if (format === 'cells') {
    const most = cellCharacters ?? Number.POSITIVE_INFINITY;
    const row = (values: readonly SqlValue[]): string =>
      `${JSON.stringify(values.map((value) => cell(cut(value, most))))}\n`;
    return { head: '', row, tail: () => '' };
  }
  const row = (values: readonly SqlValue[], isFirst: boolean): string => {
    const named = columns.map((name, i) => [name, jsonValue(values[i] ?? null)]);
    const object = terminalText(JSON.stringify(Object.fromEntries(named)));
    return `${isFirst ? '' : ','}\n  ${object}`;
  };
  return { head: '[', row, tail: (rows) => (rows === 0 ? ']\n' : '\n]\n') };
};
