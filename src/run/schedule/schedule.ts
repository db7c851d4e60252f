import type { Clock } from '../../base/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { TrendlakeError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import type { Lake } from '../../lake/open.ts';
import { SameLake } from '../../lake/same-lake.ts';
import type { Cron } from '../plan/cron.ts';
import { type Attempting, attempting, type FailureReport } from '../run/attempt.ts';
import type { Slot, SlotBook } from './slot-book.ts';

export interface Scheduled {
  name: string;
  cron: Cron;
}

export interface BatchEnd {
  /** Instant at which a paused run resumes (Unix ms); null: none paused. */
  resumesAt: number | null;
  /** Jobs to retry soon. The other due jobs are done or failed for good. */
  retry: readonly string[];
}

export interface ScheduleDeps extends FailureReport {
  lake: Lake;
  clock: Clock;
  /** Stops the current batch and starts no new one. */
  signal: AbortSignal;
  jobs: readonly Scheduled[];
  slots: SlotBook;
  /**
   * Runs the due jobs together. An empty list resumes a paused run. After a transient error, all
   * jobs are retried.
   */
  runJobs(names: readonly string[]): Promise<BatchEnd>;
  report(sentence: string): void;
}

/** Interval for comparing the wall clock with the monotonic clock, and the smallest step. */
const STEP_CHECK_MS = 30 * SECOND_MS;
const STEP_MS = 5 * SECOND_MS;
const LONGEST_SLEEP_MS = HOUR_MS; // timers cannot wait for weeks
/** Jobs due within this time run together, such as lists and the refreshes after them. */
const GATHER_MS = SECOND_MS;
/** First wait before a retry. It doubles up to the longest. */
const FIRST_RETRY_MS = 30 * SECOND_MS;
const LONGEST_RETRY_MS = HOUR_MS;
/** Name of due work: a paused or interrupted run. */
const PAUSED_RUN = 'paused run';
/** Name of an attempt: writing to the slot book. */
const WRITING_SLOTS = 'slots';
/** Name of an attempt and retry: claiming slots. */
const CLAIMING_SLOTS = 'schedule';

/** `at`: monotonic clock. */
interface Retry {
  at: number;
  waitMs: number;
}

/**
 * The daemon. Cron wakes it, and the slot book decides which process does a slot's work.
 * A missed slot is caught up within the hour, only the newest, because the service has no history.
 * Jobs due together run together, in batches one after another. Temporary failures are retried at
 * the next slot at the latest. A stop gives unfinished slots back to the next daemon.
 */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #slots: SlotBook;
  /** Newest unclaimed slot of each job. */
  readonly #arrived = new Map<string, number>();
  /** Claimed slot of each unfinished job. */
  readonly #taken = new Map<string, number>();
  /** Work of a dead process is due immediately. */
  readonly #due = new Set<string>([PAUSED_RUN]);
  #pausedUntil: number | null = null;
  readonly #retries = new Map<string, Retry>();
  readonly #attempt: Attempting;
  readonly #sameLake: SameLake;
  #wake = Promise.withResolvers<void>();
  #stops: (() => void)[] = [];

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    this.#slots = deps.slots;
    const { lake, signal, warn, fail } = deps;
    this.#attempt = attempting({ lakePath: lake.path, signal, report: { warn, fail } });
    this.#sameLake = new SameLake(lake);
  }

  #arrive(job: string, slotAt: number): void {
    this.#arrived.set(job, slotAt);
    this.#wake.resolve();
  }

  /** Claims slots, including those missed while the machine slept or its clock was set ahead. */
  async #takeOn(): Promise<void> {
    const { jobs, clock } = this.#deps;
    for (const { name, cron } of jobs) {
      const slotAt = cron.previousSlot(clock.now());
      if (slotAt !== undefined && !this.#arrived.has(name)) this.#arrived.set(name, slotAt);
    }
    const taken = await this.#attempt(CLAIMING_SLOTS, async () => {
      for (const [job, slotAt] of this.#arrived) {
        if (await this.#slots.claim({ job, slotAt })) {
          this.#take({ job, slotAt });
          const cron = jobs.find(({ name }) => name === job)?.cron;
          if (cron !== undefined) this.#slots.noteMissed?.({ job, slotAt }, cron);
        }
        if (this.#arrived.get(job) === slotAt) this.#arrived.delete(job);
      }
      const names = jobs.map(({ name }) => name);
      for (const slot of await this.#slots.takeOver(names)) {
        this.#deps.report(
          `Took over ${slot.job} of ${isoOf(slot.slotAt)}: the daemon that claimed it has died.`,
        );
        this.#take(slot);
      }
    });
    if (taken.ok) this.#retries.delete(CLAIMING_SLOTS);
    else this.#retryLater(CLAIMING_SLOTS);
  }

  #take({ job, slotAt }: Slot): void {
    this.#taken.set(job, slotAt);
    this.#due.add(job);
  }

  /** Gives unfinished slots to the next daemon. */
  async #giveBack(): Promise<void> {
    const { lake, warn } = this.#deps;
    try {
      for (const [job, slotAt] of this.#taken) await this.#slots.giveBack({ job, slotAt });
    } catch (error) {
      const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, lake.path);
      if (known === undefined) throw error;
      const jobs = [...this.#taken.keys()].join(', ');
      warn(
        `Could not release the slots of ${jobs}, which wait for their next ones: ${known.message}`,
      );
    }
  }

  /**
   * Runs until the signal is aborted and the current batch has ended.
   * @throws LakeError when the lake was replaced. The supervisor then restarts the daemon.
   */
  async run(): Promise<void> {
    const { jobs, signal } = this.#deps;
    await this.#forgetFuture();
    this.#arm(jobs);
    signal.addEventListener('abort', () => this.#wake.resolve());
    const over = new AbortController();
    void this.#keepAlive(over.signal);
    try {
      while (!signal.aborted) {
        this.#sameLake.expect();
        await this.#takeOn();
        await this.#runDue();
        await this.#sleep();
      }
      await this.#giveBack();
    } finally {
      over.abort();
      this.#disarm();
    }
  }

  /** Frees slots of the future, which come again after the clock was set back. */
  async #forgetFuture(): Promise<void> {
    const at = this.#deps.clock.now() + MINUTE_MS;
    await this.#attempt(WRITING_SLOTS, async () => this.#slots.forgetAfter?.(at));
  }

  /** Starts the timers of the crons, replacing earlier ones. */
  #arm(jobs: readonly Scheduled[]): void {
    this.#disarm();
    this.#stops = jobs.map(({ name, cron }) => cron.start((slotAt) => this.#arrive(name, slotAt)));
  }

  #disarm(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Adds work that is due without a slot: ended pauses and retries. */
  #resume(): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    for (const [name, { at }] of this.#retries)
      if (now >= at && name !== CLAIMING_SLOTS) this.#due.add(name);
    if (this.#pausedUntil === null || clock.now() < this.#pausedUntil) return;
    this.#pausedUntil = null;
    this.#due.add(PAUSED_RUN);
  }

  async #runDue(): Promise<void> {
    const { signal, runJobs } = this.#deps;
    this.#resume();
    if (signal.aborted || this.#due.size === 0) return;
    const names = [...this.#due];
    const jobs = names.filter((name) => name !== PAUSED_RUN);
    this.#due.clear();
    const batch = await this.#attempt(jobs.join(', ') || PAUSED_RUN, () => runJobs(jobs));
    if (batch.ok) this.#pause(batch.value.resumesAt);
    const again = batch.ok ? batch.value.retry : batch.retry ? names : [];
    for (const name of names) {
      if (again.includes(name)) continue;
      this.#retries.delete(name);
      await this.#done(name);
    }
    for (const name of again) this.#retryLater(name);
  }

  /** Marks a slot as done. If that fails, its next slot resolves it. */
  async #done(job: string): Promise<void> {
    const slotAt = this.#taken.get(job);
    this.#taken.delete(job);
    if (slotAt === undefined) return;
    try {
      await this.#slots.done({ job, slotAt }); // also while stopping, so that no other daemon repeats it
    } catch (error) {
      if (!(error instanceof TrendlakeError)) throw error;
      this.#deps.warn(`${job} is done, but its slot could not be marked as done: ${error.message}`);
    }
  }

  async #keepAlive(over: AbortSignal): Promise<void> {
    const { aliveMs } = this.#slots;
    if (aliveMs === undefined) return;
    while (!over.aborted) {
      if (this.#taken.size > 0)
        await this.#attempt(WRITING_SLOTS, async () => this.#slots.keepAlive?.());
      await this.#deps.clock.sleep(aliveMs, over).catch(() => {}); // aborted
    }
  }

  #retryLater(name: string): void {
    const waited = this.#retries.get(name)?.waitMs;
    const waitMs = waited === undefined ? FIRST_RETRY_MS : Math.min(2 * waited, LONGEST_RETRY_MS);
    this.#retries.set(name, { at: this.#deps.clock.monotonic() + waitMs, waitMs });
  }

  /** Pauses until `resumesAt`. Null keeps a pause: resuming too early makes no call. */
  #pause(resumesAt: number | null): void {
    if (resumesAt === null || resumesAt === this.#pausedUntil) return; // already reported
    this.#pausedUntil = resumesAt;
    this.#deps.report(`Paused until ${isoOf(resumesAt)}.`);
  }

  /**
   * Sleeps until work is due without a slot, or the wall clock was stepped. Cron timers use the old
   * time: after a step back, none would fire until that time is reached again.
   */
  async #restUnlessStepped(signal: AbortSignal): Promise<void> {
    const { clock, jobs, report } = this.#deps;
    const offset = (): number => clock.now() - clock.monotonic();
    const before = offset();
    for (let restMs = this.#restMs; restMs > 0; restMs -= STEP_CHECK_MS) {
      await clock.sleep(Math.min(restMs, STEP_CHECK_MS), signal);
      if (Math.abs(offset() - before) < STEP_MS) continue;
      report(`The clock was set to ${isoOf(clock.now())}. The schedule was adjusted.`);
      await this.#forgetFuture();
      this.#arm(jobs);
      return;
    }
  }

  /** Time until work is due without a slot. */
  get #restMs(): number {
    const { clock } = this.#deps;
    const waits = [...this.#retries.values()].map(({ at }) => at - clock.monotonic());
    if (this.#pausedUntil !== null) waits.push(this.#pausedUntil - clock.now());
    const longestMs = this.#slots.aliveMs ?? LONGEST_SLEEP_MS; // other daemons may have died
    return Math.max(0, Math.min(longestMs, ...waits));
  }

  /** Sleeps until a slot comes, a pause ends, a retry is due or the signal is aborted. */
  async #sleep(): Promise<void> {
    const { clock, signal } = this.#deps;
    if (signal.aborted) return;
    const awake = new AbortController();
    const timer = this.#restUnlessStepped(awake.signal).catch(() => {}); // woken early
    await Promise.race([this.#wake.promise, timer]);
    awake.abort();
    if (this.#arrived.size > 0) await clock.sleep(GATHER_MS, signal).catch(() => {}); // stopping
    this.#wake = Promise.withResolvers<void>();
  }
}
