import Database from 'better-sqlite3';
import type { ParquetCodec } from '../../base/config/parquet-codecs.ts';
import { type ExportWatch, exportPartitions, type PartitionsExport } from './export-partitions.ts';
import { systemDisk } from './install-file.ts';
import type { ExportedLake } from './manifest.ts';
import type { ParquetTable } from './parquet-tables.ts';

/** Options of an export that can be sent to a thread. */
export interface ExportOrder {
  readonly lakePath: string;
  readonly folder: string;
  readonly lake: ExportedLake;
  /**
   * Passed in, because loading the schema takes longer than writing the partitions of a night.
   */
  readonly tables: readonly ParquetTable[];
  readonly codec: ParquetCodec;
  readonly full: boolean;
  /** ISO 8601 */
  readonly exportedAt: string;
}

/**
 * Exports over a separate connection.
 * @throws as `exportPartitions`
 */
export const runExport = async (
  { lakePath, ...order }: ExportOrder,
  watch: ExportWatch,
): Promise<PartitionsExport> => {
  const sqlite = new Database(lakePath, { readonly: true, timeout: 10_000 });
  try {
    return await exportPartitions({ ...order, ...watch, sqlite, disk: systemDisk });
  } finally {
    sqlite.close();
  }
};
