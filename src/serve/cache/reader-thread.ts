import Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { messageOf } from '../../base/errors.ts';
import { Thread } from '../../base/thread.ts';
import { workerFile } from '../../base/worker-file.ts';
import { RefusedError } from '../http/problems.ts';
import { FairQueue } from './fair-queue.ts';
import type { ReaderKind, ReaderKinds, ReaderStart } from './reader-worker.ts';

export interface ReaderOptions extends ReaderStart {
  /** Real time. */
  readonly clock: Clock;
  /** Longest read. The thread is then terminated. */
  readonly deadlineMs: number;
  /** An idle thread is terminated after this time. */
  readonly idleMs: number;
  /** Queries of one owner that may wait. */
  readonly queueMost: number;
  /** Heap limit. Typed arrays and SQLite's memory are not part of it. */
  readonly heapMib: number;
}

/** Owner of all requests without a key. */
export const KEYLESS = 'no key';

export interface Requester {
  /** Id of a key, or `KEYLESS`. Owners share the thread fairly. */
  readonly owner: string;
  /** Aborted when nobody waits for the result. */
  readonly unwanted: AbortSignal;
  /** Pages are always read in a thread, as they may need no key. */
  readonly isPage?: boolean | undefined;
}

export interface PageRequester extends Requester {
  /** Runs on the main thread, except for pages. */
  readonly isCheap?: boolean;
}

interface ReaderJob<K extends ReaderKind> {
  readonly owner: string;
  readonly query: ReaderKinds[K]['query'];
  readonly resolve: (found: ReaderKinds[K]['found']) => void;
  readonly reject: (error: unknown) => void;
  /** Aborted when the job leaves the queue. */
  readonly turn: AbortController;
}

/** Longest wait in the queue. With the deadline, it is shorter than the timeout of sockets. */
const WAIT_MS = 45 * SECOND_MS;

/** The queue holds this many times `queueMost` queries in total. */
const OWNERS_MOST = 10;
/** `Retry-After` of a full queue. */
const FULL_WAIT_MS = 5 * SECOND_MS;

/** Rows are short-lived. A larger young generation would use memory and save no time. */
const YOUNG_MIB = 4;

const unavailable = (detail: string, waitMs: number): RefusedError =>
  new RefusedError('unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / SECOND_MS))) },
  });

const stopping = (): RefusedError => unavailable('The service is stopping.', SECOND_MS);

/** Restores the SqliteError of a thread, for which the service responds 503. Others are unexpected: 500. */
const errorOfThread = (error: unknown): unknown => {
  if (error instanceof RefusedError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('SQLITE_')
    ? new Database.SqliteError(messageOf(error), code)
    : new Error(messageOf(error), { cause: error });
};

/**
 * Reads the lake in a thread, one query at a time, with a fair queue of owners. The thread starts with the
 * first query and ends when idle. Limits: queue length, wait, read time and memory.
 */
export class ReaderThread<K extends ReaderKind> {
  readonly #options: ReaderOptions & { readonly kind: K };
  readonly #queue = new FairQueue<ReaderJob<K>>();
  readonly #ending = new Set<Promise<void>>();
  #thread: Thread<ReaderKinds[K]['query'], ReaderKinds[K]['found']> | undefined;
  /** Rejects the query that is being read. */
  #stopReading: ((error: RefusedError) => void) | undefined;
  #alarm = new AbortController();
  #isClosed = false;

  constructor(options: ReaderOptions & { readonly kind: K }) {
    this.#options = options;
  }

  /**
   * A query that left the queue is read to the end, even if nobody waits for it.
   * @throws RefusedError when the queue is full, the wait or the read takes too long, the thread is
   * closed, or nobody waits; a SqliteError when the lake cannot be read
   */
  read(query: ReaderKinds[K]['query'], requester: Requester): Promise<ReaderKinds[K]['found']> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(requester.owner);
      if (refusal !== undefined) return reject(refusal);
      const turn = new AbortController();
      const job = { owner: requester.owner, query, resolve, reject, turn };
      this.#queue.push(job.owner, job);
      requester.unwanted.addEventListener('abort', () =>
        this.#giveUp(job, 'The client closed the connection.'),
      );
      this.#next();
      if (turn.signal.aborted) return;
      const tooLong = (): void =>
        this.#giveUp(
          job,
          `This request waited ${WAIT_MS / SECOND_MS} s for other slow requests. Try again later.`,
        );
      this.#options.clock.sleep(WAIT_MS, turn.signal).then(tooLong, () => {}); // left the queue
    });
  }

  /** Rejects all queries. Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) {
      job.turn.abort();
      job.reject(stopping());
    }
    this.#stopReading?.(stopping());
    this.#endThread();
    this.#alarm.abort();
    await Promise.allSettled(this.#ending);
  }

  #refusal(owner: string): RefusedError | undefined {
    if (this.#isClosed) return stopping();
    const { queueMost } = this.#options;
    const own = this.#queue.sizeOf(owner);
    if (own < queueMost && this.#queue.size < OWNERS_MOST * queueMost) return undefined;
    return unavailable(
      `${own >= queueMost ? own : this.#queue.size} slow requests are already waiting. Try again later.`,
      FULL_WAIT_MS,
    );
  }

  #giveUp(job: ReaderJob<K>, detail: string): void {
    if (!this.#queue.remove(job.owner, job)) return;
    job.turn.abort();
    job.reject(unavailable(detail, FULL_WAIT_MS));
  }

  /** Replaces the alarm. */
  #setAlarm(ms: number, ring: () => void): void {
    this.#alarm.abort();
    const alarm = new AbortController();
    this.#alarm = alarm;
    const ringOnce = (): void => {
      if (!alarm.signal.aborted) ring();
    };
    this.#options.clock.sleep(ms, alarm.signal).then(ringOnce, () => {});
  }

  #startThread(): Thread<ReaderKinds[K]['query'], ReaderKinds[K]['found']> {
    const { dataDir, kind, heapMib } = this.#options;
    this.#thread ??= new Thread({
      file: workerFile(import.meta.url, 'reader-worker'),
      name: kind,
      start: { dataDir, kind } satisfies ReaderStart,
      limits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    return this.#thread;
  }

  #endThread(): void {
    if (this.#thread === undefined) return;
    const ended = this.#thread.close();
    this.#thread = undefined;
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  #next(): void {
    const job = this.#stopReading === undefined ? this.#queue.take() : undefined;
    if (job === undefined) return;
    job.turn.abort();
    void this.#read(job);
  }

  async #read({ query, resolve, reject }: ReaderJob<K>): Promise<void> {
    const { deadlineMs, idleMs } = this.#options;
    const stopped = Promise.withResolvers<never>();
    this.#stopReading = stopped.reject;
    this.#setAlarm(deadlineMs, () => {
      stopped.reject(
        unavailable(
          `The response took longer than ${deadlineMs / SECOND_MS} s to compute and was stopped. Request a shorter dateRange or fewer words, or try again later.`,
          deadlineMs,
        ),
      );
      this.#endThread();
    });
    try {
      const reading = this.#startThread().request(query);
      resolve(await Promise.race([reading, stopped.promise]));
    } catch (error) {
      reject(errorOfThread(error));
    }
    this.#stopReading = undefined;
    if (this.#isClosed) return;
    this.#setAlarm(idleMs, () => this.#endThread());
    this.#next();
  }
}
