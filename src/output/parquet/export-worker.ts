import { parentPort, workerData } from 'node:worker_threads';
import { LakeError, messageOf } from '../../base/errors.ts';
import type { PartitionsExport } from './export-partitions.ts';
import { type ExportOrder, runExport } from './run-export.ts';

// The thread that writes Parquet, so that the one that serves does not stall. See export-lake.ts.

/** What the thread is started with. */
export interface ThreadOrder extends ExportOrder {
  /** One number; the thread stops at the next chunk once it is not 0. */
  readonly stop: SharedArrayBuffer;
}

/** What the thread says, the last of them `done` or `failed`. */
export type ExportReport =
  | { readonly progress: readonly [done: number, of: number] }
  | { readonly done: PartitionsExport }
  | { readonly failed: string; readonly transient: boolean; readonly detail: string | undefined };

const report = (message: ExportReport): void => parentPort?.postMessage(message);

const run = async ({ stop, ...order }: ThreadOrder): Promise<void> => {
  const flag = new Int32Array(stop);
  const done = await runExport(order, {
    checkStop: () => {
      if (Atomics.load(flag, 0) !== 0) throw new LakeError('The export was stopped.');
      return undefined;
    },
    onFile: (...progress) => report({ progress }),
  });
  report({ done });
};

try {
  await run(workerData as ThreadOrder);
} catch (error) {
  const known = error instanceof LakeError;
  report({
    failed: messageOf(error),
    transient: known && error.transient,
    detail: known || !(error instanceof Error) ? undefined : error.stack,
  });
}
