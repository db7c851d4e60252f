import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { Clock } from '../../clock.ts';
import { SECOND_MS } from '../../durations.ts';
import { workerFile } from '../../worker-file.ts';
import { RefusedError } from '../problems.ts';
import type { ReaderKind, ReaderKinds, ReaderReport, ReaderStart } from './reader-worker.ts';

export interface ReaderOptions extends ReaderStart {
  /** Time of the machine that reads, whatever time the service shows. */
  readonly clock: Clock;
  /** Longest one answer may take; then its thread is given up. */
  readonly deadlineMs: number;
  /** How long an idle thread is kept. */
  readonly idleMs: number;
  /** Questions that may wait behind the one being answered. */
  readonly queueMost: number;
  /** Memory for its objects; columns of numbers and what SQLite holds are not counted in it. */
  readonly heapMib: number;
}

/** A thread that answers questions over the lake, one after another. */
export interface Reader<K extends ReaderKind> {
  /**
   * Rejects with a RefusedError when too many wait, when its turn or its answer takes too long, when the reader is
   * closed, and when `unwanted` tells before its turn that nobody waits for it; with a SqliteError when
   * the lake cannot be read. Once its turn has come it is read to the end.
   */
  ask(ask: ReaderKinds[K]['ask'], unwanted: AbortSignal): Promise<ReaderKinds[K]['found']>;
  /** Gives up what is under way. Resolves when no thread is left. */
  close(): Promise<void>;
}

interface Job<K extends ReaderKind> {
  readonly ask: ReaderKinds[K]['ask'];
  readonly resolve: (found: ReaderKinds[K]['found']) => void;
  readonly reject: (error: Error) => void;
  /** Aborted when its turn comes. */
  readonly turn: AbortController;
}

/** Longest a question waits for its turn: with its deadline, less than a socket may be silent. */
const WAIT_MS = 45 * SECOND_MS;

/** Rows live for a moment only: a larger nursery takes memory and saves no time. */
const YOUNG_MIB = 4;

const unavailable = (detail: string, waitMs: number): RefusedError =>
  new RefusedError('unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / SECOND_MS))) },
  });

/** A reader whose thread is started when it is first needed, and ended when it has been idle. */
export const startReader = <K extends ReaderKind>({
  dataDir,
  kind,
  clock,
  deadlineMs,
  idleMs,
  queueMost,
  heapMib,
}: ReaderOptions & { readonly kind: K }): Reader<K> => {
  const queue: Job<K>[] = [];
  const ending = new Set<Promise<unknown>>();
  let thread: Worker | undefined;
  let current: Job<K> | undefined;
  let alarm = new AbortController();
  let lastMs = SECOND_MS; // what the last answer took
  let isClosed = false;

  /** Does something after a while, unless something else happens before. */
  const setAlarm = (ms: number, ring: () => void): void => {
    alarm.abort();
    const mine = new AbortController();
    alarm = mine;
    const ringOnce = (): void => {
      if (!mine.signal.aborted) ring();
    };
    clock.sleep(ms, mine.signal).then(ringOnce, () => {});
  };

  const endThread = (): void => {
    const ended = thread
      ?.removeAllListeners()
      .on('error', () => {}) // whatever it dies of now
      .terminate();
    thread = undefined;
    if (ended === undefined) return;
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };

  const settle = (how: (job: Job<K>) => void): void => {
    const job = current;
    current = undefined;
    setAlarm(idleMs, endThread);
    if (job !== undefined) how(job);
    next();
  };

  const lose = (error: Error): void => {
    endThread();
    settle(({ reject }) => reject(error));
  };

  const started = (): Worker => {
    const worker = new Worker(workerFile(import.meta.url, 'reader-worker'), {
      workerData: { dataDir, kind } satisfies ReaderStart,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: YOUNG_MIB },
    });
    worker.unref();
    worker.on('message', (report: ReaderReport<ReaderKinds[K]['found']>) =>
      settle(({ resolve, reject }) => {
        if ('found' in report) resolve(report.found);
        else if (report.code === undefined) reject(new Error(report.failed));
        else reject(new Database.SqliteError(report.failed, report.code));
      }),
    );
    worker.on('error', lose);
    worker.on('exit', (code) =>
      lose(new Error(`The ${kind} thread ended with code ${code} and no word of why.`)),
    );
    return worker;
  };

  const next = (): void => {
    const job = current === undefined ? queue.shift() : undefined;
    if (job === undefined) return;
    job.turn.abort();
    const startedAt = clock.monotonic();
    const answered = (): void => {
      lastMs = clock.monotonic() - startedAt;
    };
    current = {
      ...job,
      resolve: (found) => {
        answered();
        job.resolve(found);
      },
    };
    setAlarm(deadlineMs, () =>
      lose(
        unavailable(
          `Computing this answer took longer than ${deadlineMs / SECOND_MS} s and was stopped. Ask for a shorter dateRange or fewer words, or again when the machine is less busy.`,
          deadlineMs,
        ),
      ),
    );
    thread ??= started();
    thread.postMessage(job.ask);
  };

  return {
    ask: (ask, unwanted) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(unavailable('The service is stopping.', SECOND_MS));
        if (queue.length >= queueMost)
          return reject(
            unavailable(
              `${queue.length} answers that take long to compute are waiting already. Try again later.`,
              (queue.length + 1) * lastMs,
            ),
          );
        const turn = new AbortController();
        const job = { ask, resolve, reject, turn };
        queue.push(job);
        const giveUp = (detail: string, waitMs: number): void => {
          const place = queue.indexOf(job);
          if (place < 0) return;
          queue.splice(place, 1);
          turn.abort();
          reject(unavailable(detail, waitMs));
        };
        unwanted.addEventListener('abort', () =>
          giveUp('Nobody waits for this answer.', SECOND_MS),
        );
        next();
        if (current?.turn === turn) return;
        const tooLong = () =>
          giveUp(
            `This answer waited ${WAIT_MS / SECOND_MS} s for others that take long to compute. Try again later.`,
            lastMs,
          );
        clock.sleep(WAIT_MS, turn.signal).then(tooLong, () => {}); // its turn came
      }),
    close: async () => {
      isClosed = true;
      for (const { turn, reject } of queue.splice(0)) {
        turn.abort();
        reject(unavailable('The service is stopping.', 0));
      }
      endThread();
      settle(({ reject }) => reject(unavailable('The service is stopping.', 0)));
      alarm.abort();
      await Promise.allSettled(ending);
    },
  };
};
