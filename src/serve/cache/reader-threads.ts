import Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import { RefusedError, stopping, unavailable } from '../http/problems.ts';
import type { ReaderStart } from './reader-worker.ts';
import type { FoundOf, Reading, ReadQuery } from './readings.ts';
import { WorkQueue } from './work-queue.ts';

export interface ReaderOptions extends ReaderStart {
  /** Real time. */
  readonly clock: Clock;
  /** Longest read. Its thread is then terminated. */
  readonly deadlineMs: number;
  /** Threads that are idle for this time are terminated. */
  readonly idleMs: number;
  /** Queries of one owner that may wait. */
  readonly queueMost: number;
  /** Heap limit. Typed arrays and SQLite's memory are not part of it. */
  readonly heapMib: number;
}

/** Owner of all requests without a key. */
export const KEYLESS = 'no key';

export interface Requester {
  /** Id of a key, or `KEYLESS`. Owners share the threads fairly. */
  readonly owner: string;
  /** Aborted when nobody waits for the result. */
  readonly unwanted: AbortSignal;
  /** Pages are always read in a thread, as they may need no key. */
  readonly isPage?: boolean | undefined;
}

type ReaderThread = Thread<ReadQuery, FoundOf<Reading>>;

/** Two, so that a slow read of one owner does not delay those of the others. */
const THREADS = 2;

/** Rows are short-lived. A larger young generation would use memory and save no time. */
const YOUNG_MIB = 4;

/** Restores the SqliteError of a thread, for which the service responds 503. Others are unexpected: 500. */
const errorOfThread = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_')
    ? new Database.SqliteError(messageOf(error), code)
    : new Error(messageOf(error), { cause: error });
};

/**
 * Reads the lake in two threads, one query of an owner at a time. Threads start with the first queries and
 * end when idle. Limits: queue length, wait, read time and memory.
 */
export class ReaderThreads {
  readonly #options: ReaderOptions;
  readonly #queue: WorkQueue;
  readonly #open = new Set<ReaderThread>();
  #idle: ReaderThread[] = [];
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #alarm = new AbortController();

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { clock, queueMost: waitingMost } = options;
    this.#queue = new WorkQueue({ clock, atOnce: THREADS, atOnceOfOwner: 1, waitingMost });
  }

  /**
   * A query that left the queue is read to the end, even if nobody waits for it.
   * @throws RefusedError when the queue is full, the wait or the read takes too long, the threads are
   * closed, or nobody waits; a SqliteError when the lake cannot be read
   */
  read(query: ReadQuery, { owner, unwanted }: Requester): Promise<FoundOf<Reading>> {
    const gone = AbortSignal.any([unwanted, this.#closing.signal]);
    return this.#queue.run(owner, gone, () => this.#readNow(query));
  }

  /** Rejects all queries. Resolves when the threads have ended. */
  async close(): Promise<void> {
    this.#closing.abort(stopping());
    for (const thread of this.#open) this.#end(thread);
    await Promise.allSettled(this.#ending);
  }

  async #readNow(query: ReadQuery): Promise<FoundOf<Reading>> {
    const { clock, deadlineMs } = this.#options;
    const thread = this.#idle.pop() ?? this.#startThread();
    const read = new AbortController();
    const tooLong = clock.sleep(deadlineMs, read.signal).then(() => {
      throw unavailable(
        `The response took longer than ${deadlineMs / SECOND_MS} s to compute and was stopped. Request a shorter dateRange or fewer words, or try again later.`,
        deadlineMs,
      );
    });
    try {
      const found = await Promise.race([thread.request(query), tooLong]);
      this.#idle.push(thread);
      return found;
    } catch (error) {
      this.#end(thread);
      this.#closing.signal.throwIfAborted();
      throw error instanceof RefusedError ? error : errorOfThread(error);
    } finally {
      read.abort();
      this.#endIdleLater();
    }
  }

  #startThread(): ReaderThread {
    const { dataDir, heapMib } = this.#options;
    const thread: ReaderThread = new Thread({
      file: workerFile(import.meta.url, 'reader-worker'),
      name: 'reader',
      start: { dataDir } satisfies ReaderStart,
      limits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    this.#open.add(thread);
    return thread;
  }

  #end(thread: ReaderThread): void {
    this.#open.delete(thread);
    const ended = thread.close();
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  #endIdleLater(): void {
    this.#alarm.abort();
    this.#alarm = new AbortController();
    const signal = AbortSignal.any([this.#alarm.signal, this.#closing.signal]);
    const endIdle = (): void => {
      for (const thread of this.#idle) this.#end(thread);
      this.#idle = [];
    };
    this.#options.clock.sleep(this.#options.idleMs, signal).then(endIdle, () => {});
  }
}
