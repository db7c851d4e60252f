import { type Clock, HOUR_MS, isoOf, SECOND_MS } from '../clock.ts';
import type { Lake } from '../lake/open.ts';
import { attempt, type FailureReport } from './attempt.ts';
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
const RETRY_MS = 30 * SECOND_MS;

/**
 * The daemon. Cron only wakes it; a row in `slots`, unique by job and slot, decides who of all
 * processes does a slot's work, once. A slot missed while nothing ran, or cron did not wake it, is
 * caught up within the hour, the newest one only: the service knows no past. Jobs due together are done together, batches one after another.
 */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #due = new Set<string>();
  #pausedUntil: number | null = null;
  #retryAt: number | null = null;
  #wake = Promise.withResolvers<void>();

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
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

  /** When to go on without a slot: a pause ends or a retry is due, whichever comes first. */
  get #resumesAt(): number | null {
    const instants = [this.#pausedUntil, this.#retryAt].filter((at) => at !== null);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  async #runDue(): Promise<void> {
    const { lake, clock, signal, runJobs, warn, fail } = this.#deps;
    const resumes = this.#resumesAt !== null && clock.now() >= this.#resumesAt;
    if (signal.aborted || (this.#due.size === 0 && !resumes)) return;
    const names = [...this.#due];
    this.#due.clear();
    this.#retryAt = null;
    if (this.#pausedUntil !== null && clock.now() >= this.#pausedUntil) this.#pausedUntil = null;
    const deps = { lakePath: lake.path, signal, report: { warn, fail } };
    const batch = await attempt(names.join(', ') || 'paused run', () => runJobs(names), deps);
    if (batch.ok) this.#pause(batch.value.resumesAt);
    const again = batch.ok ? batch.value.retry : names;
    if (batch.ok ? again.length === 0 : !batch.retry) return;
    for (const name of again) this.#due.add(name);
    this.#retryAt = clock.now() + RETRY_MS;
  }

  /** Until `resumesAt`. Null leaves a pause as it is: looking once too often costs no call. */
  #pause(resumesAt: number | null): void {
    if (resumesAt === null || resumesAt === this.#pausedUntil) return; // told before
    this.#pausedUntil = resumesAt;
    this.#deps.tell(`Paused; goes on at ${isoOf(resumesAt)}.`);
  }

  /** Until a slot comes, a pause ends or the signal is aborted. */
  async #sleep(): Promise<void> {
    const { clock, signal } = this.#deps;
    if (signal.aborted || (this.#due.size > 0 && this.#resumesAt === null)) return;
    const untilResume = this.#resumesAt === null ? LONGEST_SLEEP_MS : this.#resumesAt - clock.now();
    const awake = new AbortController();
    const timer = clock
      .sleep(Math.min(Math.max(0, untilResume), LONGEST_SLEEP_MS), awake.signal)
      .catch(() => {}); // woken before its time
    await Promise.race([this.#wake.promise, timer]);
    awake.abort();
    if (this.#due.size > 0) await clock.sleep(GATHER_MS, signal).catch(() => {}); // stopping
    this.#wake = Promise.withResolvers<void>();
  }
}
