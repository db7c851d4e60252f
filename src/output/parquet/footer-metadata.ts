import thrift, { type Struct, type ThriftOutput } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import type { EncodedChunk } from './column-chunk.ts';
import { compactThrift } from './compact-thrift.ts';
import type { ParquetColumn, ParquetType } from './parquet-tables.ts';

// Footer of a Parquet file in the library's thrift structures. Its default footer lacks logical
// types and the order of bounds, without which readers ignore both.

const PHYSICAL: Record<ParquetType, number> = {
  INT64: thrift.Type.INT64,
  TIMESTAMP_MILLIS: thrift.Type.INT64,
  DOUBLE: thrift.Type.DOUBLE,
  UTF8: thrift.Type.BYTE_ARRAY,
  DATE: thrift.Type.INT32,
};
const ZSTD = 6; // younger than the library's list of codecs
/** Compression of a chunk's pages. */
export type ChunkCodec = ParquetCodec | 'none';
const CODECS: Record<ChunkCodec, number> = {
  none: thrift.CompressionCodec.UNCOMPRESSED,
  zstd: ZSTD,
  snappy: thrift.CompressionCodec.SNAPPY,
  gzip: thrift.CompressionCodec.GZIP,
};
const UTC_MILLISECONDS = new thrift.LogicalType({
  TIMESTAMP: new thrift.TimestampType({
    isAdjustedToUTC: true,
    unit: new thrift.TimeUnit({ MILLIS: new thrift.MilliSeconds() }),
  }),
});
const TEXT = new thrift.LogicalType({ STRING: new thrift.StringType() });
const DAY = new thrift.LogicalType({ DATE: new thrift.DateType() });

const schemaElement = ({ name, type, optional }: ParquetColumn): Struct => {
  const { OPTIONAL, REQUIRED } = thrift.FieldRepetitionType;
  const base = { name, type: PHYSICAL[type], repetition_type: optional ? OPTIONAL : REQUIRED };
  const { UTF8, TIMESTAMP_MILLIS, DATE } = thrift.ConvertedType;
  if (type === 'UTF8')
    return new thrift.SchemaElement({ ...base, converted_type: UTF8, logicalType: TEXT });
  if (type === 'DATE')
    return new thrift.SchemaElement({ ...base, converted_type: DATE, logicalType: DAY });
  if (type !== 'TIMESTAMP_MILLIS') return new thrift.SchemaElement(base);
  const logicalType = UTC_MILLISECONDS;
  return new thrift.SchemaElement({ ...base, converted_type: TIMESTAMP_MILLIS, logicalType });
};

// thrift's numbers for the types of fields
const BOOL = 2;
const I64 = 10;
const BINARY = 11;

/**
 * A chunk's statistics, the bounds in the order of the column's type, and whether they are values
 * of the column (two fields younger than the library).
 */
const statisticsOf = ({ column, nulls, bounds }: EncodedChunk): Struct => ({
  write: (output: ThriftOutput): void => {
    const field = (name: string, type: number, id: number, write: () => void): void => {
      output.writeFieldBegin(name, type, id);
      write();
      output.writeFieldEnd();
    };
    const binary = (name: string, id: number, bytes: Buffer): void =>
      field(name, BINARY, id, () => output.writeString(bytes));
    output.writeStructBegin('Statistics');
    // readers of before 2017 know `max` and `min`, whose order is right for integers alone
    if (bounds !== undefined && column.type !== 'UTF8' && column.type !== 'DOUBLE') {
      binary('max', 1, bounds.greatest);
      binary('min', 2, bounds.least);
    }
    field('null_count', I64, 3, () => output.writeI64(nulls));
    if (bounds !== undefined) {
      binary('max_value', 5, bounds.greatest);
      binary('min_value', 6, bounds.least);
      field('is_max_value_exact', BOOL, 7, () => output.writeBool(bounds.greatestExact));
      field('is_min_value_exact', BOOL, 8, () => output.writeBool(bounds.leastExact));
    }
    output.writeFieldStop();
    output.writeStructEnd();
  },
});

/** Place of a chunk's pages in its file, with headers. */
export interface LocatedChunk {
  readonly chunk: EncodedChunk;
  readonly codec: ChunkCodec;
  readonly dictionaryAt: number | undefined;
  readonly dataAt: number;
  readonly bytes: number;
  readonly plainBytes: number;
}

const chunkMetadata = (located: LocatedChunk): Struct => {
  const { chunk, codec, dictionaryAt, dataAt, bytes, plainBytes } = located;
  const { PLAIN, RLE } = thrift.Encoding;
  const coding = thrift.Encoding[chunk.coding];
  const meta_data = new thrift.ColumnMetaData({
    type: PHYSICAL[chunk.column.type],
    encodings: [...new Set([coding, RLE, ...(chunk.dictionary === undefined ? [] : [PLAIN])])],
    path_in_schema: [chunk.column.name],
    codec: CODECS[codec],
    num_values: chunk.rows,
    total_uncompressed_size: plainBytes,
    total_compressed_size: bytes,
    data_page_offset: dataAt,
    dictionary_page_offset: dictionaryAt,
    statistics: statisticsOf(chunk),
  });
  return new thrift.ColumnChunk({ file_offset: dictionaryAt ?? dataAt, meta_data });
};

/** A row group of a file. */
export const rowGroup = (located: readonly LocatedChunk[]): Struct =>
  new thrift.RowGroup({
    columns: located.map(chunkMetadata),
    num_rows: located[0]?.chunk.rows ?? 0,
    total_byte_size: located.reduce((sum, { plainBytes }) => sum + plainBytes, 0),
  });

/** The header that stands before a page. */
export const pageHeader = (
  page: { kind: 'dictionary' | 'data'; values: number; coding: EncodedChunk['coding'] },
  plainBytes: number,
  bytes: number,
): Buffer => {
  const { PLAIN, RLE } = thrift.Encoding;
  const sizes = { uncompressed_page_size: plainBytes, compressed_page_size: bytes };
  return compactThrift(
    page.kind === 'dictionary'
      ? new thrift.PageHeader({
          type: thrift.PageType.DICTIONARY_PAGE,
          ...sizes,
          dictionary_page_header: new thrift.DictionaryPageHeader({
            num_values: page.values,
            encoding: PLAIN,
          }),
        })
      : new thrift.PageHeader({
          type: thrift.PageType.DATA_PAGE,
          ...sizes,
          data_page_header: new thrift.DataPageHeader({
            num_values: page.values,
            encoding: thrift.Encoding[page.coding],
            definition_level_encoding: RLE,
            repetition_level_encoding: RLE,
          }),
        }),
  );
};

/** The footer of a file, without its length and the letters behind it. */
export const footer = (
  columns: readonly ParquetColumn[],
  rows: number,
  groups: readonly Struct[],
): Buffer =>
  compactThrift(
    new thrift.FileMetaData({
      version: 2,
      schema: [
        new thrift.SchemaElement({ name: 'root', num_children: columns.length }),
        ...columns.map(schemaElement),
      ],
      num_rows: rows,
      row_groups: groups,
      created_by: 'trendlake (parquetjs-lite)',
      column_orders: columns.map(
        () => new thrift.ColumnOrder({ TYPE_ORDER: new thrift.TypeDefinedOrder() }),
      ),
    }),
  );
