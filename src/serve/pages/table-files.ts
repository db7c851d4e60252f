import { csvLine } from '../../base/csv.ts';
import { isoOf } from '../../base/iso.ts';
import { PageCompressor } from '../../output/parquet/codec.ts';
import { ParquetWriter } from '../../output/parquet/write-parquet.ts';
import type { Column, FieldValue } from './data-table.ts';

export const FILE_FORMATS = ['csv', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export const FILE_TYPES: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

export interface TableFiles {
  /** File name without extension. */
  readonly name: string;
  readonly bytes: (format: FileFormat) => Promise<Buffer<ArrayBuffer>>;
}

type FileColumn<Row> = Column<Row> & { readonly field: NonNullable<Column<Row>['field']> };

const columnsIn = <Row>(columns: readonly Column<Row>[]): FileColumn<Row>[] =>
  columns.filter((column): column is FileColumn<Row> => column.field !== undefined);

const csvOf = <Row>(
  columns: readonly FileColumn<Row>[],
  rows: readonly Row[],
): Buffer<ArrayBuffer> => {
  const line = (fields: readonly FieldValue[]): string => `${csvLine(fields)}\r\n`;
  const cell = ({ field: { type, of } }: FileColumn<Row>, row: Row): FieldValue => {
    const value = of(row);
    return type === 'TIMESTAMP_MILLIS' && typeof value === 'number' ? isoOf(value) : value;
  };
  const body = rows.map((row) => line(columns.map((column) => cell(column, row))));
  return Buffer.from(line(columns.map(({ name }) => name)) + body.join(''));
};

const parquetOf = async <Row>(
  columns: readonly FileColumn<Row>[],
  rows: readonly Row[],
): Promise<Buffer<ArrayBuffer>> => {
  const typed = columns.map(({ name, field: { type } }) => ({ name, type, optional: true }));
  const parts: Buffer[] = [];
  await new ParquetWriter(typed, new PageCompressor('zstd')).write(
    rows.map((row) => columns.map(({ field }) => field.of(row))),
    (bytes) => parts.push(bytes),
  );
  return Buffer.concat(parts);
};

/** Rows as CSV (ISO 8601 times, empty unknown values, formulas escaped) and Parquet (nulls). */
export const tableFiles = <Row>(
  name: string,
  columns: readonly Column<Row>[],
  rows: () => Promise<readonly Row[]>,
): TableFiles => {
  const inFile = columnsIn(columns);
  return {
    name,
    bytes: async (format) =>
      format === 'csv' ? csvOf(inFile, await rows()) : parquetOf(inFile, await rows()),
  };
};
