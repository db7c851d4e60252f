import type { FileMetaData, RowGroup, SchemaElement, Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import type { EncodedChunk } from './column-chunk.ts';
import type { ParquetColumn, ParquetType } from './parquet-tables.ts';

// Page headers and the footer of a Parquet file.

const ELEMENTS: Record<ParquetType, Omit<SchemaElement, 'name'>> = {
  INT64: { type: 'INT64' },
  TIMESTAMP_MILLIS: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  DOUBLE: { type: 'DOUBLE' },
  UTF8: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  DATE: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
};

/** Compression of a chunk's pages. */
export type ChunkCodec = ParquetCodec | 'none';
const CODECS = { none: 'UNCOMPRESSED', zstd: 'ZSTD', snappy: 'SNAPPY', gzip: 'GZIP' } as const;

/** Longest bound of a text column, in bytes. */
const LONGEST_BOUND = 64;

const isWhole = (bound: unknown): boolean =>
  !(bound instanceof Uint8Array) || bound.length <= LONGEST_BOUND;

const statisticsOf = ({ column, nulls, bounds }: EncodedChunk): Statistics => {
  const null_count = BigInt(nulls);
  if (bounds === undefined) return { null_count };
  const { least, greatest } = bounds;
  // readers of before 2017 know only `max` and `min`, whose order is right for integers alone
  const hasOldBounds = column.type !== 'UTF8' && column.type !== 'DOUBLE';
  return {
    ...(hasOldBounds ? { max: greatest, min: least } : {}),
    null_count,
    max_value: greatest,
    min_value: least,
    is_max_value_exact: isWhole(greatest),
    is_min_value_exact: isWhole(least),
  };
};

/** Place of a chunk's pages in its file, with headers. */
export interface LocatedChunk {
  readonly chunk: EncodedChunk;
  readonly codec: ChunkCodec;
  readonly dictionaryAt: number | undefined;
  readonly dataAt: number;
  readonly bytes: number;
  readonly plainBytes: number;
}

const columnChunk = (located: LocatedChunk): RowGroup['columns'][number] => {
  const { chunk, codec, dictionaryAt, dataAt, bytes, plainBytes } = located;
  const { column, coding, dictionary } = chunk;
  return {
    file_offset: BigInt(dictionaryAt ?? dataAt),
    meta_data: {
      type: ELEMENTS[column.type].type ?? 'INT64',
      encodings: [
        ...new Set([coding, 'RLE' as const, ...(dictionary ? (['PLAIN'] as const) : [])]),
      ],
      path_in_schema: [column.name],
      codec: CODECS[codec],
      num_values: BigInt(chunk.rows),
      total_uncompressed_size: BigInt(plainBytes),
      total_compressed_size: BigInt(bytes),
      data_page_offset: BigInt(dataAt),
      ...(dictionaryAt === undefined ? {} : { dictionary_page_offset: BigInt(dictionaryAt) }),
      statistics: statisticsOf(chunk),
    },
  };
};

/** A row group of a file. */
export const rowGroup = (located: readonly LocatedChunk[]): RowGroup => ({
  columns: located.map(columnChunk),
  num_rows: BigInt(located[0]?.chunk.rows ?? 0),
  total_byte_size: BigInt(located.reduce((sum, { plainBytes }) => sum + plainBytes, 0)),
});

/** Header of a page. */
export const pageHeader = (
  page: { kind: 'dictionary' | 'data'; values: number; coding: EncodedChunk['coding'] },
  plainBytes: number,
  bytes: number,
): Buffer => {
  const writer = new ByteWriter(64);
  const sizes = { uncompressed_page_size: plainBytes, compressed_page_size: bytes };
  writePageHeader(
    writer,
    page.kind === 'dictionary'
      ? {
          type: 'DICTIONARY_PAGE',
          ...sizes,
          dictionary_page_header: { num_values: page.values, encoding: 'PLAIN' },
        }
      : {
          type: 'DATA_PAGE',
          ...sizes,
          data_page_header: {
            num_values: page.values,
            encoding: page.coding,
            definition_level_encoding: 'RLE',
            repetition_level_encoding: 'RLE',
          },
        },
  );
  return Buffer.from(writer.getBytes());
};

/** The list of row groups, field 4, without elements and their type; then the header of field 6. */
const NO_GROUPS = Buffer.from([0x19, 0x00, 0x28]);
const EMPTY_LIST_OF_STRUCTS = 0x0c;

/** Footer of a file, then its length. */
export const footer = (
  columns: readonly ParquetColumn[],
  rows: number,
  groups: RowGroup[],
): Buffer => {
  const writer = new ByteWriter();
  const metadata: FileMetaData = {
    version: 2,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(
        ({ name, type, optional }): SchemaElement => ({
          name,
          ...ELEMENTS[type],
          repetition_type: optional ? 'OPTIONAL' : 'REQUIRED',
        }),
      ),
    ],
    num_rows: BigInt(rows),
    row_groups: groups,
    created_by: 'trendlake',
    metadata_length: 0, // of a file that was read
  };
  writeMetadata(writer, metadata, LONGEST_BOUND);
  const bytes = Buffer.from(writer.getBytes());
  // the library writes no type of elements into an empty list, and Arrow's reader in Rust needs one
  if (groups.length === 0) bytes[bytes.lastIndexOf(NO_GROUPS) + 1] = EMPTY_LIST_OF_STRUCTS;
  return bytes;
};
