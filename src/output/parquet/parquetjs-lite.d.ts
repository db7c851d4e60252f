// The used part of parquetjs-lite, which ships no types. See footer-metadata.ts.

declare module 'parquetjs-lite/gen-nodejs/parquet_types.js' {
  /** Thrift's compact protocol, as a structure writes itself to it. */
  export interface ThriftOutput {
    writeStructBegin(name: string): void;
    writeStructEnd(): void;
    writeFieldBegin(name: string, type: number, id: number): void;
    writeFieldEnd(): void;
    writeFieldStop(): void;
    writeListBegin(type: number, length: number): void;
    writeListEnd(): void;
    writeString(value: string | Buffer): void;
    writeByte(value: number): void;
    writeI32(value: number): void;
    writeI64(value: number): void;
    writeBool(value: boolean): void;
  }
  export interface Struct {
    write(output: ThriftOutput): void;
  }
  type StructOf<Fields> = new (fields: Fields) => Struct;
  type Empty = new () => Struct;

  const types: {
    Type: { INT32: number; INT64: number; DOUBLE: number; BYTE_ARRAY: number };
    ConvertedType: { UTF8: number; TIMESTAMP_MILLIS: number; DATE: number };
    FieldRepetitionType: { OPTIONAL: number; REQUIRED: number };
    CompressionCodec: { UNCOMPRESSED: number; SNAPPY: number; GZIP: number };
    PageType: { DATA_PAGE: number; DICTIONARY_PAGE: number };
    Encoding: {
      PLAIN: number;
      RLE: number;
      RLE_DICTIONARY: number;
      DELTA_BINARY_PACKED: number;
      DELTA_BYTE_ARRAY: number;
    };
    MilliSeconds: Empty;
    StringType: Empty;
    DateType: Empty;
    TypeDefinedOrder: Empty;
    TimeUnit: StructOf<{ MILLIS: Struct }>;
    TimestampType: StructOf<{ isAdjustedToUTC: boolean; unit: Struct }>;
    LogicalType: StructOf<{ TIMESTAMP?: Struct; STRING?: Struct; DATE?: Struct }>;
    ColumnOrder: StructOf<{ TYPE_ORDER: Struct }>;
    SchemaElement: StructOf<{
      name: string;
      type?: number;
      repetition_type?: number;
      num_children?: number;
      converted_type?: number;
      logicalType?: Struct;
    }>;
    DataPageHeader: StructOf<{
      num_values: number;
      encoding: number;
      definition_level_encoding: number;
      repetition_level_encoding: number;
    }>;
    DictionaryPageHeader: StructOf<{ num_values: number; encoding: number }>;
    PageHeader: StructOf<{
      type: number;
      uncompressed_page_size: number;
      compressed_page_size: number;
      data_page_header?: Struct;
      dictionary_page_header?: Struct;
    }>;
    ColumnMetaData: StructOf<{
      type: number;
      encodings: number[];
      path_in_schema: string[];
      codec: number;
      num_values: number;
      total_uncompressed_size: number;
      total_compressed_size: number;
      data_page_offset: number;
      dictionary_page_offset: number | undefined;
      statistics: Struct;
    }>;
    ColumnChunk: StructOf<{ file_offset: number; meta_data: Struct }>;
    RowGroup: StructOf<{
      columns: readonly Struct[];
      num_rows: number;
      total_byte_size: number;
    }>;
    FileMetaData: StructOf<{
      version: number;
      schema: readonly Struct[];
      num_rows: number;
      row_groups: readonly Struct[];
      created_by: string;
      column_orders: readonly Struct[];
    }>;
  };
  export default types;
}

declare module 'parquetjs-lite/lib/util.js' {
  import type { Struct } from 'parquetjs-lite/gen-nodejs/parquet_types.js';

  export function serializeThrift(struct: Struct): Buffer;
}

declare module 'snappyjs' {
  export function compress(plain: Uint8Array): Uint8Array;
}
