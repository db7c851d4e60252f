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

/** Whole, else with three decimals, or three digits where it is a small fraction: what a reader compares. */
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

/** Writes rows as lines, the first row after the head. */
export class RowText {
  readonly #columns: readonly string[];
  readonly #format: RowFormat;
  readonly #isSafe: boolean;
  readonly #cellCharacters: number;
  #rows = 0;

  constructor(
    columns: readonly string[],
    format: RowFormat,
    {
      isSafe,
      cellCharacters = Number.POSITIVE_INFINITY,
    }: { isSafe: boolean; cellCharacters?: number | undefined },
  ) {
    this.#columns = columns;
    this.#format = format;
    this.#isSafe = isSafe;
    this.#cellCharacters = cellCharacters;
  }

  /** Text before the first row. */
  head(): string {
    if (this.#format === 'csv')
      return `${this.#columns.map((name) => csvValue(name, this.#isSafe)).join(',')}\n`;
    return this.#format === 'json' ? '[' : '';
  }

  row(values: readonly SqlValue[]): string {
    this.#rows += 1;
    if (this.#format === 'csv')
      return `${values.map((value) => csvValue(value, this.#isSafe)).join(',')}\n`;
    if (this.#format === 'cells')
      return `${JSON.stringify(values.map((value) => cell(cut(value, this.#cellCharacters))))}\n`;
    const object = Object.fromEntries(
      this.#columns.map((name, i) => [name, jsonValue(values[i] ?? null)]),
    );
    return `${this.#rows === 1 ? '' : ','}\n  ${terminalText(JSON.stringify(object))}`;
  }

  /** Text after the last row. */
  tail(): string {
    if (this.#format !== 'json') return '';
    return this.#rows === 0 ? ']\n' : '\n]\n';
  }
}
