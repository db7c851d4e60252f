import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { workerFile } from '../../base/worker-file.ts';
import { RefusedError } from '../http/problems.ts';
import { FairQueue } from './fair-queue.ts';
import type { ReaderKind, ReaderKinds, ReaderReport, ReaderStart } from './reader-worker.ts';

export interface ReaderOptions extends ReaderStart {
  /** Time of the machine that reads, whatever time the service shows. */
  readonly clock: Clock;
  /** Longest one reading may take; then its thread is given up. */
  readonly deadlineMs: number;
  /** How long an idle thread is kept. */
  readonly idleMs: number;
  /** Queries of one owner that may wait. */
  readonly queueMost: number;
  /** Memory for its objects; columns of numbers and what SQLite holds are not counted in it. */
  readonly heapMib: number;
}

/** Whose share of the threads requests without a key take, together. */
export const KEYLESS = 'no key';

/** Who wants something read. */
export interface Requester {
  /** Whose share of the thread it takes: the id of a key, or one name for all without. */
  readonly owner: string;
  /** Tells that nobody waits for it any more. */
  readonly unwanted: AbortSignal;
  /** It is read for a page: always in a thread, as pages may be asked for without a key. */
  readonly isPage?: boolean | undefined;
}

interface ReaderJob<K extends ReaderKind> {
  readonly owner: string;
  readonly query: ReaderKinds[K]['query'];
  readonly resolve: (found: ReaderKinds[K]['found']) => void;
  readonly reject: (error: Error) => void;
  /** Aborted when its turn comes. */
  readonly turn: AbortController;
}

/** Longest a query waits for its turn: with its deadline, less than a socket may be silent. */
const WAIT_MS = 45 * SECOND_MS;

/** Queries that wait at most, for each that one owner may have waiting. */
const OWNERS_MOST = 10;

/** Readings that must have been timed before a wait is foretold from them, and what one more counts. */
const TIMED_LEAST = 3;
const TIMED_WEIGHT = 0.3;

/** Rows live for a moment only: a larger nursery takes memory and saves no time. */
const YOUNG_MIB = 4;

const unavailable = (detail: string, waitMs: number): RefusedError =>
  new RefusedError('unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / SECOND_MS))) },
  });

/**
 * A thread that reads the lake, one query after another, those of different owners in turn. It is
 * started when first needed, or ahead of that, and ended when it has been idle. Bounded in what waits,
 * in time (of a turn and of the wait for it) and in memory.
 */
export class ReaderThread<K extends ReaderKind> {
  readonly #options: ReaderOptions & { readonly kind: K };
  readonly #queue = new FairQueue<ReaderJob<K>>();
  readonly #ending = new Set<Promise<unknown>>();
  #thread: Worker | undefined;
  #current: ReaderJob<K> | undefined;
  #alarm = new AbortController();
  #meanMs = SECOND_MS; // what a reading takes, the last ones counting most
  #timed = 0;
  #isClosed = false;

  constructor(options: ReaderOptions & { readonly kind: K }) {
    this.#options = options;
  }

  /**
   * Rejects with a RefusedError when too many wait, when its turn or its reading takes too long, when
   * the thread is closed, and when nobody waits for it before its turn; with a SqliteError when the
   * lake cannot be read. Once its turn has come it is read to the end.
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
      if (this.#current?.turn === turn) return;
      const tooLong = (): void =>
        this.#giveUp(
          job,
          `This request waited ${WAIT_MS / SECOND_MS} s for other slow requests. Try again later.`,
        );
      this.#options.clock.sleep(WAIT_MS, turn.signal).then(tooLong, () => {}); // its turn came
    });
  }

  /** Whether its thread was started and has nothing to read. */
  get isIdle(): boolean {
    return this.#thread !== undefined && this.#current === undefined;
  }

  /** Starts the thread ahead of the first query, which then does not wait for that. */
  start(): void {
    if (this.#isClosed || this.#thread !== undefined) return;
    this.#thread = this.#started();
    this.#setAlarm(this.#options.idleMs, () => this.#endThread());
  }

  /** Gives up what is under way. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const stopping = unavailable('The service is stopping.', SECOND_MS);
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) {
      job.turn.abort();
      job.reject(stopping);
    }
    this.#endThread();
    this.#end(({ reject }) => reject(stopping));
    this.#alarm.abort();
    await Promise.allSettled(this.#ending);
  }

  /** How long a further query of this owner would wait, as far as the last ones tell. */
  #waitMs(owner: string): number {
    return (this.#queue.before(owner) + (this.#current === undefined ? 0 : 1)) * this.#meanMs;
  }

  /** Why a further query of this owner is not taken. */
  #refusal(owner: string): RefusedError | undefined {
    if (this.#isClosed) return unavailable('The service is stopping.', SECOND_MS);
    const { queueMost } = this.#options;
    const waitMs = this.#waitMs(owner);
    const own = this.#queue.sizeOf(owner);
    if (own >= queueMost || this.#queue.size >= OWNERS_MOST * queueMost)
      return unavailable(
        `${own >= queueMost ? own : this.#queue.size} slow requests are already waiting. Try again later.`,
        waitMs,
      );
    if (this.#timed >= TIMED_LEAST && waitMs > WAIT_MS)
      return unavailable(
        `Other slow requests would delay this one by more than ${WAIT_MS / SECOND_MS} s. Try again later.`,
        waitMs,
      );
    return undefined;
  }

  #giveUp(job: ReaderJob<K>, detail: string): void {
    if (!this.#queue.remove(job.owner, job)) return;
    job.turn.abort();
    job.reject(unavailable(detail, this.#waitMs(job.owner)));
  }

  /** Does something after a while, unless something else happens before. */
  #setAlarm(ms: number, ring: () => void): void {
    this.#alarm.abort();
    const mine = new AbortController();
    this.#alarm = mine;
    const ringOnce = (): void => {
      if (!mine.signal.aborted) ring();
    };
    this.#options.clock.sleep(ms, mine.signal).then(ringOnce, () => {});
  }

  #endThread(): void {
    const ended = this.#thread
      ?.removeAllListeners()
      .on('error', () => {}) // whatever it dies of now
      .terminate();
    this.#thread = undefined;
    if (ended === undefined) return;
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  #end(how: (job: ReaderJob<K>) => void): void {
    const job = this.#current;
    this.#current = undefined;
    this.#setAlarm(this.#options.idleMs, () => this.#endThread());
    if (job !== undefined) how(job);
    this.#next();
  }

  #lose(error: Error): void {
    this.#endThread();
    this.#end(({ reject }) => reject(error));
  }

  #started(): Worker {
    const { dataDir, kind, heapMib } = this.#options;
    const worker = new Worker(workerFile(import.meta.url, 'reader-worker'), {
      workerData: { dataDir, kind } satisfies ReaderStart,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.unref();
    worker.on('message', (report: ReaderReport<ReaderKinds[K]['found']>) =>
      this.#end(({ resolve, reject }) => {
        if ('found' in report) resolve(report.found);
        else if (report.code === undefined) reject(new Error(report.failed));
        else reject(new Database.SqliteError(report.failed, report.code));
      }),
    );
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', (code) =>
      this.#lose(new Error(`The ${kind} thread ended without an error, exit code ${code}.`)),
    );
    return worker;
  }

  /** Notes what a reading took, from its turn on. */
  #time(sinceMs: number): void {
    const tookMs = this.#options.clock.monotonic() - sinceMs;
    this.#meanMs =
      this.#timed === 0 ? tookMs : this.#meanMs + TIMED_WEIGHT * (tookMs - this.#meanMs);
    this.#timed += 1;
  }

  #next(): void {
    const job = this.#current === undefined ? this.#queue.take() : undefined;
    if (job === undefined) return;
    job.turn.abort();
    const { clock, deadlineMs } = this.#options;
    const sinceMs = clock.monotonic();
    this.#current = {
      ...job,
      resolve: (found) => {
        this.#time(sinceMs);
        job.resolve(found);
      },
    };
    this.#setAlarm(deadlineMs, () => {
      this.#time(sinceMs);
      this.#lose(
        unavailable(
          `The response took longer than ${deadlineMs / SECOND_MS} s to compute and was stopped. Request a shorter dateRange or fewer words, or try again later.`,
          deadlineMs,
        ),
      );
    });
    this.#thread ??= this.#started();
    this.#thread.postMessage(job.query);
  }
}
