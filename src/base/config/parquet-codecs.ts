export const PARQUET_CODECS = ['zstd', 'snappy', 'gzip'] as const;
export type ParquetCodec = (typeof PARQUET_CODECS)[number];
