import { on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LakeError } from '../../base/errors.ts';
import { workerFile } from '../../base/worker-file.ts';
import type { Lake } from '../../lake/open.ts';
import { type FileBatch, fileBatches, type ImportSource } from './import-batches.ts';
import type { ReadingOrder, ReadingReport, ReadingStart } from './import-worker.ts';
import { knownPlatformIn } from './known-platform.ts';

/** Who reads and checks the files of an import, one after the other. */
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

/** Batches of a second's work: with more of them memory grows, and the writer waits for none as it is. */
const AHEAD = 1;
/** What is read lives until its batch is full, whatever the room for new objects. */
const YOUNG_MIB = 4;

/** Reads in a thread of its own, ahead of what is being written. */
class ReaderThread implements ImportReader {
  readonly #worker: Worker;
  readonly #reports: ReturnType<typeof on>;

  constructor({ path: lakePath }: Lake) {
    this.#worker = new Worker(workerFile(import.meta.url, 'import-worker'), {
      workerData: { lakePath, ahead: AHEAD } satisfies ReadingStart,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#reports = on(this.#worker, 'message', { close: ['exit'] });
  }

  async *batches(source: ImportSource, signal?: AbortSignal): AsyncGenerator<FileBatch> {
    const stop = (): void => void this.close(); // it may be far from its next batch
    signal?.addEventListener('abort', stop, { once: true });
    try {
      this.#tell({ read: source });
      for (;;) {
        const batch = await this.#next(signal);
        this.#tell({ taken: true });
        yield batch;
        if (batch.ended !== null) return;
        await setImmediate(); // a batch that lies ready is handed over before any signal is heard
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(order: ReadingOrder): void {
    this.#worker.postMessage(order);
  }

  async #next(signal?: AbortSignal): Promise<FileBatch> {
    const { value, done } = await this.#reports.next();
    signal?.throwIfAborted();
    if (done === true)
      throw new LakeError("The import's reading thread ended with no word of why.");
    const report: ReadingReport = value[0];
    if ('batch' in report) return report.batch;
    throw new LakeError(report.failed, { cause: report.detail });
  }
}

/** Bytes of files, as stored, from which on a thread of its own is worth its start. */
const THREAD_FROM_BYTES = 2 * 1024 * 1024;

/** The reader for files of so many bytes together. */
export const importReader = (
  lake: Lake,
  bytes: number,
  threadFromBytes = THREAD_FROM_BYTES,
): ImportReader => (bytes >= threadFromBytes ? new ReaderThread(lake) : new ReaderHere(lake));
