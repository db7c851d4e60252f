import { setImmediate } from 'node:timers/promises';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { Lake } from '../../lake/open.ts';
import { type FileBatch, fileBatches, type ImportSource } from './import-batches.ts';
import type { ImportRequest, ImportStart } from './import-worker.ts';
import { knownPlatformIn } from './known-platform.ts';

/** Reads and checks the files of an import one after the other. */
export interface ImportReader {
  /** The batches of a file in their order, the last one saying how it ended. */
  batches(source: ImportSource, signal?: AbortSignal): AsyncIterable<FileBatch>;
  close(): Promise<void>;
}

/** Reads in the thread that writes, too: what little is imported is in before a thread has begun. */
class ReaderHere implements ImportReader {
  readonly #lake: Lake;

  constructor(lake: Lake) {
    this.#lake = lake;
  }

  batches(source: ImportSource, signal?: AbortSignal): AsyncIterable<FileBatch> {
    return fileBatches(source, knownPlatformIn(this.#lake.sqlite), signal);
  }

  async close(): Promise<void> {}
}

/** Reads in a worker thread, one batch ahead of the one that is being written. */
class ReaderThread implements ImportReader {
  readonly #thread: Thread<ImportRequest, FileBatch>;

  constructor({ path: lakePath }: Lake) {
    this.#thread = new Thread({
      file: workerFile(import.meta.url, 'import-worker'),
      name: 'import',
      start: { lakePath } satisfies ImportStart,
      limits: { maxYoungGenerationSizeMb: 4 },
    });
  }

  async *batches(source: ImportSource, signal?: AbortSignal): AsyncGenerator<FileBatch> {
    const stop = (): void => void this.close(); // the next batch may be far away
    signal?.addEventListener('abort', stop, { once: true });
    try {
      let next = this.#thread.request({ open: source });
      for (;;) {
        const batch = await next;
        signal?.throwIfAborted();
        if (batch.ended === null) {
          next = this.#thread.request('next');
          next.catch(() => {}); // not awaited when the import stops before
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

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

/** Stored bytes from which a separate thread pays for its start. */
const THREAD_FROM_BYTES = 2 * 1024 * 1024;

/** The reader for files of so many bytes together. */
export const importReader = (
  lake: Lake,
  bytes: number,
  threadFromBytes = THREAD_FROM_BYTES,
): ImportReader => (bytes >= threadFromBytes ? new ReaderThread(lake) : new ReaderHere(lake));
