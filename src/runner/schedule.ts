import { type Clock, HOUR_MS, isoOf, SECOND_MS } from '../clock.ts';
import { isStop, messageOf, TrendlakeError } from '../errors.ts';
import type { Lake } from '../lake/open.ts';
import type { Cron } from './cron.ts';

/** Something to do at the slots of a cron expression. */
export interface Scheduled {
  name: string;
  cron: Cron;
}

/** How a batch of due jobs ended: done, or to be taken up again at an instant (Unix ms). */
export interface BatchEnd {
  resumesAt: number | null;
}

export interface ScheduleDeps {
  lake: Lake;
  clock: Clock;
  /** Aborted to stop: the batch at work stops itself by it, no new one begins. */
  signal: AbortSignal;
  jobs: readonly Scheduled[];
  /** Does the jobs that are due, together; an empty list takes up what was paused. */
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
  #resumesAt: number | null = null;
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

  async #runDue(): Promise<void> {
    const { clock, signal, runJobs, tell } = this.#deps;
    const resumes = this.#resumesAt !== null && clock.now() >= this.#resumesAt;
    if (signal.aborted || (this.#due.size === 0 && !resumes)) return;
    const names = [...this.#due];
    this.#due.clear();
    this.#resumesAt = null;
    try {
      this.#resumesAt = (await runJobs(names)).resumesAt;
      if (this.#resumesAt !== null) tell(`Paused; goes on at ${isoOf(this.#resumesAt)}.`);
    } catch (error) {
      if (isStop(error, signal)) return; // stopped in the middle of a chore
      tell(`${names.join(', ')}: ${messageOf(error)}`);
      if (!(error instanceof TrendlakeError)) throw error;
      if (!error.transient) return;
      for (const name of names) this.#due.add(name);
      this.#resumesAt = clock.now() + RETRY_MS;
    }
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
