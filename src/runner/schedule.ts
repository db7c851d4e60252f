import { type Clock, HOUR_MS, isoOf, SECOND_MS } from '../clock.ts';
import type { Lake } from '../lake/open.ts';
import { type Attempting, attempting, type FailureReport } from './attempt.ts';
import type { Cron } from './cron.ts';

/** Something to do at the slots of a cron expression. */
export interface Scheduled {
  name: string;
  cron: Cron;
}

/** How a batch of due jobs ended. */
export interface BatchEnd {
  /** When a paused run goes on (Unix ms); null when none paused. */
  resumesAt: number | null;
  /** Names of the jobs to try again soon; what else was due is done, or failed for good. */
  retry: readonly string[];
}

export interface ScheduleDeps extends FailureReport {
  lake: Lake;
  clock: Clock;
  /** Aborted to stop: the batch at work stops itself by it, no new one begins. */
  signal: AbortSignal;
  jobs: readonly Scheduled[];
  /**
   * Does the jobs that are due, together; an empty list takes up what was paused. When it throws an
   * error that is transient, none of them is taken for done.
   */
  runJobs(names: readonly string[]): Promise<BatchEnd>;
  tell(sentence: string): void;
}

const LONGEST_SLEEP_MS = HOUR_MS; // timers cannot wait for weeks
/** Jobs whose slots come together are done together: the lists of a night before its looks. */
const GATHER_MS = SECOND_MS;
/** Wait before what failed is tried again: twice as long each time, up to the longest. */
const FIRST_RETRY_MS = 30 * SECOND_MS;
const LONGEST_RETRY_MS = HOUR_MS;
/** Stands among the names of due jobs for what a run left that was paused. */
const PAUSED_RUN = 'paused run';

/** When a job is tried again, by the monotonic clock, and how long that was waited for. */
interface Retry {
  at: number;
  waitMs: number;
}

/**
 * The daemon. Cron only wakes it; a row in `slots`, unique by job and slot, decides who of all
 * processes does a slot's work, once. A slot missed while nothing ran, or cron did not wake it, is
 * caught up within the hour, the newest one only: the service knows no past. Jobs due together are done
 * together, batches one after another. What fails for now is tried again at its next slot at the latest.
 */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #due = new Set<string>();
  #pausedUntil: number | null = null;
  readonly #retries = new Map<string, Retry>();
  readonly #attempt: Attempting;
  #wake = Promise.withResolvers<void>();

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    const { lake, signal, warn, fail } = deps;
    this.#attempt = attempting({ lakePath: lake.path, signal, report: { warn, fail } });
  }

  /** Takes on a slot; false when it was taken on before, here or elsewhere. */
  #claim(job: string, slotAt: number): boolean {
    const { lake, clock } = this.#deps;
    const { changes } = lake.sqlite
      .prepare(
        'insert into slots (job, slot_at, claimed_at) values (?, ?, ?) on conflict do nothing',
      )
      .run(job, slotAt, clock.now());
    return changes > 0;
  }

  #arrive(job: string, slotAt: number): void {
    if (this.#deps.signal.aborted || !this.#claim(job, slotAt)) return;
    this.#due.add(job);
    this.#wake.resolve();
  }

  #catchUp(): void {
    for (const { name, cron } of this.#deps.jobs) {
      const slotAt = cron.previousSlot(this.#deps.clock.now());
      if (slotAt !== undefined) this.#arrive(name, slotAt);
    }
  }

  /** Runs until the signal is aborted and the batch at work has ended. */
  async run(): Promise<void> {
    const { jobs, signal } = this.#deps;
    const stops = jobs.map(({ name, cron }) => cron.start((slotAt) => this.#arrive(name, slotAt)));
    signal.addEventListener('abort', () => this.#wake.resolve());
    try {
      while (!signal.aborted) {
        this.#catchUp(); // also what came while the machine slept, or its clock was set ahead
        await this.#runDue();
        await this.#sleep();
      }
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Adds what is due without a slot: a pause ended, or a retry's time has come. */
  #resume(): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    for (const [name, { at }] of this.#retries) if (now >= at) this.#due.add(name);
    if (this.#pausedUntil === null || clock.now() < this.#pausedUntil) return;
    this.#pausedUntil = null;
    this.#due.add(PAUSED_RUN);
  }

  async #runDue(): Promise<void> {
    const { signal, runJobs } = this.#deps;
    this.#resume();
    if (signal.aborted || this.#due.size === 0) return;
    const names = [...this.#due];
    this.#due.clear();
    const batch = await this.#attempt(names.join(', '), () =>
      runJobs(names.filter((name) => name !== PAUSED_RUN)),
    );
    if (batch.ok) this.#pause(batch.value.resumesAt);
    const again = batch.ok ? batch.value.retry : batch.retry ? names : [];
    for (const name of names) if (!again.includes(name)) this.#retries.delete(name);
    for (const name of again) this.#retryLater(name);
  }

  #retryLater(name: string): void {
    const waited = this.#retries.get(name)?.waitMs;
    const waitMs = waited === undefined ? FIRST_RETRY_MS : Math.min(2 * waited, LONGEST_RETRY_MS);
    this.#retries.set(name, { at: this.#deps.clock.monotonic() + waitMs, waitMs });
  }

  /** Until `resumesAt`. Null leaves a pause as it is: looking once too often costs no call. */
  #pause(resumesAt: number | null): void {
    if (resumesAt === null || resumesAt === this.#pausedUntil) return; // told before
    this.#pausedUntil = resumesAt;
    this.#deps.tell(`Paused; goes on at ${isoOf(resumesAt)}.`);
  }

  /** How long nothing is due but by a slot. */
  get #restMs(): number {
    const { clock } = this.#deps;
    const waits = [...this.#retries.values()].map(({ at }) => at - clock.monotonic());
    if (this.#pausedUntil !== null) waits.push(this.#pausedUntil - clock.now());
    return Math.max(0, Math.min(LONGEST_SLEEP_MS, ...waits));
  }

  /** Until a slot comes, a pause ends, a retry is due or the signal is aborted. */
  async #sleep(): Promise<void> {
    const { clock, signal } = this.#deps;
    if (signal.aborted || this.#due.size > 0) return;
    const awake = new AbortController();
    const timer = clock.sleep(this.#restMs, awake.signal).catch(() => {}); // woken before its time
    await Promise.race([this.#wake.promise, timer]);
    awake.abort();
    if (this.#due.size > 0) await clock.sleep(GATHER_MS, signal).catch(() => {}); // stopping
    this.#wake = Promise.withResolvers<void>();
  }
}
