import type { Clock } from '../../base/clock.ts';
import { SECOND_MS } from '../../base/durations.ts';
import { clientGone, RefusedError, unavailable } from '../http/problems.ts';

export interface WorkQueueOptions {
  /** Real time. */
  readonly clock: Pick<Clock, 'sleep'>;
  readonly atOnce: number;
  /** Running jobs of one owner. */
  readonly atOnceOfOwner: number;
  /** Waiting jobs of one owner. All owners together may have ten times as many. */
  readonly waitingMost: number;
}

interface WaitingJob {
  readonly owner: string;
  /** Jobs of a lower round start first. An owner has one job in each. */
  readonly round: number;
  readonly start: () => void;
}

const OWNERS_MOST = 10;
/** Longest wait. With the deadline of reads, it is shorter than the timeout of sockets. */
const WAIT_MS = 45 * SECOND_MS;
/** `Retry-After` of a rejected job. */
const RETRY_MS = 5 * SECOND_MS;

const goneError = ({ reason }: AbortSignal): RefusedError =>
  reason instanceof RefusedError ? reason : clientGone();

/** Runs jobs, a few at once. Owners take turns, so that one with many jobs does not delay the others. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  #waiting: readonly WaitingJob[] = []; // in order of arrival
  #round = 0;
  /** Owners of the running jobs. */
  readonly #running: string[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /**
   * @param gone removes the job from the queue; a running job goes on
   * @throws RefusedError when the queue is full, the wait too long, or the signal aborts
   */
  async run<T>(owner: string, gone: AbortSignal, job: () => Promise<T>): Promise<T> {
    if (gone.aborted) throw goneError(gone);
    if (this.#mayStart(owner)) this.#running.push(owner);
    else await this.#turn(owner, gone);
    try {
      return await job();
    } finally {
      // later, so that other requests run between two jobs
      setImmediate(() => this.#end(owner));
    }
  }

  #mayStart(owner: string): boolean {
    const { atOnce, atOnceOfOwner } = this.#options;
    const own = this.#running.filter((each) => each === owner);
    return this.#running.length < atOnce && own.length < atOnceOfOwner;
  }

  async #turn(owner: string, gone: AbortSignal): Promise<void> {
    const { clock, waitingMost } = this.#options;
    const own = this.#waiting.filter((job) => job.owner === owner);
    const isFull = this.#waiting.length >= OWNERS_MOST * waitingMost;
    if (isFull || own.length >= waitingMost)
      throw unavailable(
        `${isFull ? this.#waiting.length : own.length} slow requests are already waiting. Try again later.`,
        RETRY_MS,
      );
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const job = { owner, round: (own.at(-1)?.round ?? this.#round) + 1, start };
    this.#waiting = [...this.#waiting, job];
    const left = new AbortController();
    gone.addEventListener('abort', () => reject(goneError(gone)), { signal: left.signal });
    clock.sleep(WAIT_MS, left.signal).then(
      () =>
        reject(
          unavailable(
            `This request waited ${WAIT_MS / SECOND_MS} s for other slow requests. Try again later.`,
            RETRY_MS,
          ),
        ),
      () => {}, // it left the queue
    );
    try {
      await promise;
    } finally {
      left.abort();
      this.#remove(job);
    }
  }

  #remove(job: WaitingJob): void {
    this.#waiting = this.#waiting.filter((each) => each !== job);
  }

  #end(owner: string): void {
    this.#running.splice(this.#running.indexOf(owner), 1);
    const [next] = this.#waiting
      .filter((job) => this.#mayStart(job.owner))
      .toSorted((a, b) => a.round - b.round);
    if (next === undefined) return;
    this.#remove(next);
    this.#round = next.round;
    this.#running.push(next.owner);
    next.start();
  }
}
