import { setImmediate } from 'node:timers/promises';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { Lake } from '../../lake/open.ts';
import {
  type FileBatch,
  fileBatches,
  type ImportSource,
  knownPlatformIn,
} from './import-batches.ts';
import type { ImportRequest, ImportStart } from './import-worker.ts';

/** Reads and checks the files of an import, one after another. */
export interface ImportReader {
  /** Batches of a file in order. */
  batches(source: ImportSource, signal?: AbortSignal): AsyncIterable<FileBatch>;
  close(): Promise<void>;
}

/** A thread saves more time than its start costs from this size on. */
const THREAD_FROM_BYTES = 2 * 1024 * 1024;

/** @param bytes size of all files; large imports are read in a thread */
export const importReader = (
  lake: Lake,
  bytes: number,
  threadFromBytes = THREAD_FROM_BYTES,
): ImportReader => {
  if (bytes < threadFromBytes)
    return {
      batches: (source, signal) => fileBatches(source, knownPlatformIn(lake.sqlite), signal),
      close: async () => {},
    };
  const thread = new Thread<ImportRequest, FileBatch>({
    file: workerFile(import.meta.url, 'import-worker'),
    name: 'import',
    start: { lakePath: lake.path } satisfies ImportStart,
    limits: { maxYoungGenerationSizeMb: 4 },
  });
  return {
    batches: (source, signal) => readInThread(thread, source, signal),
    close: () => thread.close(),
  };
};

/** Reads one batch ahead of the one that is being written. */
async function* readInThread(
  thread: Thread<ImportRequest, FileBatch>,
  source: ImportSource,
  signal?: AbortSignal,
): AsyncGenerator<FileBatch> {
  const stop = (): void => void thread.close(); // the next batch may take long
  signal?.addEventListener('abort', stop, { once: true });
  try {
    let next = thread.request({ open: source });
    for (;;) {
      const batch = await next;
      signal?.throwIfAborted();
      if (batch.ended === null) {
        next = thread.request('next');
        next.catch(() => {}); // not awaited if the import stops before
      }
      yield batch;
      if (batch.ended !== null) return;
      await setImmediate(); // lets signals arrive even if the next batch is ready
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
