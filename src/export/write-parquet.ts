import parquet, { type ParquetEnvelopeWriter, type ParquetSchema } from 'parquetjs-lite';
import { ColumnPages } from './column-pages.ts';
import type { ParquetColumn } from './parquet-tables.ts';

const CHUNK_ROWS = 1024;
const GROUP_ROWS = 131_072;
const GROUP_BYTES = 16 << 20;

/** Where the bytes of a file go, in order. Throws when they cannot be kept. */
export type WriteBytes = (bytes: Buffer) => void;

const schemaOf = (columns: readonly ParquetColumn[]): ParquetSchema => {
  const schema = new parquet.ParquetSchema(
    Object.fromEntries(
      columns.map(({ name, type, optional }) => [name, { type, optional, statistics: false }]),
    ),
  );
  // the library refuses a codec that it cannot compress with; pages come compressed
  for (const field of schema.fieldList) field.compression = 'ZSTD';
  return schema;
};

/** One row group's columns, handed to the file's envelope as finished pages. */
const writeGroup = (
  file: ParquetEnvelopeWriter,
  columns: readonly ColumnPages[],
  rowCount: number,
): void => {
  const taken = columns.map((column) => ({ name: column.column.name, ...column.take() }));
  file.writeRowGroup({
    rowCount,
    pages: Object.fromEntries(taken.map(({ name, pages }) => [name, pages])),
  });
  const group = file.rowGroups.at(-1);
  if (group === undefined) return;
  group.total_byte_size = taken.reduce((sum, { plainBytes }) => sum + plainBytes, 0);
  group.columns.forEach(({ meta_data }, index) => {
    const column = taken[index];
    if (column === undefined) return;
    meta_data.statistics = column.statistics;
    meta_data.total_uncompressed_size = column.plainBytes;
  });
};

/**
 * Writes one Parquet file: `rows`, each an array in the order of `columns`, as given and in their
 * order. Holds at most one row group in memory. The only place that knows the Parquet library:
 * its envelope writes header, row groups and footer; the pages are ours (column-pages.ts).
 * @param onChunk called every thousand rows or so; may throw to stop
 * @returns rows written
 * @throws whatever `write` throws; LakeError for a value that its column's type cannot hold
 */
export const writeParquet = (
  columns: readonly ParquetColumn[],
  rows: Iterable<readonly unknown[]>,
  write: WriteBytes,
  onChunk: () => void = () => {},
): number => {
  const file = new parquet.ParquetEnvelopeWriter(schemaOf(columns), write, () => {}, 0, {
    pageIndex: false,
  });
  const encoders = columns.map((column) => new ColumnPages(column));
  let total = 0;
  let groupRows = 0;
  let chunk: (readonly unknown[])[] = [];
  const closeChunk = (): void => {
    encoders.forEach((encoder, index) => {
      encoder.append(chunk, index);
    });
    groupRows += chunk.length;
    total += chunk.length;
    chunk = [];
    onChunk();
  };
  const closeGroup = (): void => {
    if (groupRows > 0) writeGroup(file, encoders, groupRows);
    groupRows = 0;
  };

  file.writeHeader();
  for (const row of rows) {
    if (chunk.push(row) < CHUNK_ROWS) continue;
    closeChunk();
    const bytes = encoders.reduce((sum, encoder) => sum + encoder.bytes, 0);
    if (groupRows >= GROUP_ROWS || bytes >= GROUP_BYTES) closeGroup();
  }
  closeChunk();
  closeGroup();
  file.writeFooter({});
  return total;
};
