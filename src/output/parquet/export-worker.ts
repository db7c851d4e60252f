import { LakeError } from '../../base/errors.ts';
import { answerRequests } from '../../base/thread.ts';
import type { PartitionsExport } from './export-partitions.ts';
import { type ExportOrder, runExport } from './run-export.ts';

// Writes Parquet files, so that the thread that serves requests does not stall.

/** Files written so far, and files to write. */
export type ExportProgress = readonly [done: number, of: number];

answerRequests<ExportOrder, PartitionsExport, ExportProgress>((order, { isStopped, report }) =>
  runExport(order, {
    checkStop: () => {
      if (isStopped()) throw new LakeError('The export was stopped.');
      return undefined;
    },
    onFile: (...progress) => report(progress),
  }),
);
