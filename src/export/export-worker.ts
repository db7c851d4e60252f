import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { ParquetCodec } from '../config/parquet-codecs.ts';
import { LakeError, messageOf } from '../errors.ts';
import { exportSnapshot, type SnapshotExport } from './export-snapshot.ts';
import { systemDisk } from './install-file.ts';
import type { ParquetTable } from './parquet-tables.ts';

// The thread that writes Parquet, so that the one that serves does not stall. See export-lake.ts.
// It is told the tables instead of loading the schema: drizzle takes longer to load than a night's
// partitions to write.

/** What the thread is started with. */
export interface ExportOrder {
  readonly lakePath: string;
  readonly folder: string;
  readonly tables: readonly ParquetTable[];
  readonly codec: ParquetCodec;
  readonly full: boolean;
  readonly exportedAt: string;
  /** One number; the thread stops at the next chunk once it is not 0. */
  readonly stop: SharedArrayBuffer;
}

/** What the thread says, the last of them `done` or `failed`. */
export type ExportReport =
  | { readonly progress: readonly [done: number, of: number] }
  | { readonly done: SnapshotExport }
  | { readonly failed: string; readonly transient: boolean; readonly detail: string | undefined };

const report = (message: ExportReport): void => parentPort?.postMessage(message);

const run = async ({ lakePath, stop, ...order }: ExportOrder): Promise<void> => {
  const flag = new Int32Array(stop);
  const sqlite = new Database(lakePath, { readonly: true, timeout: 10_000 });
  try {
    const done = await exportSnapshot({
      ...order,
      sqlite,
      disk: systemDisk,
      checkStop: () => {
        if (Atomics.load(flag, 0) !== 0) throw new LakeError('The export was stopped.');
      },
      onFile: (...progress) => report({ progress }),
    });
    report({ done });
  } finally {
    sqlite.close();
  }
};

try {
  await run(workerData as ExportOrder);
} catch (error) {
  const known = error instanceof LakeError;
  report({
    failed: messageOf(error),
    transient: known && error.transient,
    detail: known || !(error instanceof Error) ? undefined : error.stack,
  });
}
