// What trendlake uses of parquetjs-lite, which ships no types. See write-parquet.ts.

declare module 'parquetjs-lite' {
  const parquet: {
    ParquetEnvelopeWriter: typeof ParquetEnvelopeWriter;
    ParquetSchema: typeof ParquetSchema;
  };
  export default parquet;

  import type { Statistics } from 'parquetjs-lite/gen-nodejs/parquet_types.js';

  export interface FieldDefinition {
    type: 'INT64' | 'TIMESTAMP_MILLIS' | 'DOUBLE' | 'UTF8';
    optional: boolean;
    statistics: false;
  }
  export class ParquetSchema {
    constructor(fields: Record<string, FieldDefinition>);
    /** Written into the footer; the library compresses nothing that comes as finished pages. */
    readonly fieldList: { compression: 'ZSTD' | 'UNCOMPRESSED' }[];
  }
  export interface Page {
    page: Buffer;
    num_values: number;
    first_row_index: number;
  }
  interface ColumnMetaData {
    statistics?: Statistics;
    total_uncompressed_size: number;
  }
  export class ParquetEnvelopeWriter {
    constructor(
      schema: ParquetSchema,
      write: (bytes: Buffer) => void,
      close: () => void,
      fileOffset: number,
      options: { pageIndex: false },
    );
    readonly rowGroups: { columns: { meta_data: ColumnMetaData }[]; total_byte_size: number }[];
    writeHeader(): void;
    writeRowGroup(rows: { rowCount: number; pages: Record<string, Page[]> }): void;
    writeFooter(metadata: Record<string, string>): void;
  }
}

declare module 'parquetjs-lite/gen-nodejs/parquet_types.js' {
  export const Encoding: { PLAIN: number; RLE: number };
  export const PageType: { DATA_PAGE: number };
  export class DataPageHeader {
    constructor(fields: {
      num_values: number;
      encoding: number;
      definition_level_encoding: number;
      repetition_level_encoding: number;
    });
  }
  export class PageHeader {
    constructor(fields: {
      type: number;
      uncompressed_page_size: number;
      compressed_page_size: number;
      data_page_header: DataPageHeader;
    });
  }
  export class Statistics {
    constructor(fields: {
      null_count: number;
      min?: Buffer;
      max?: Buffer;
      min_value?: Buffer;
      max_value?: Buffer;
    });
  }
}

declare module 'parquetjs-lite/lib/util.js' {
  export function serializeThrift(struct: object): Buffer;
}
