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
  /** Who does which slot. */
  slots: SlotBook;
  /**
   * Does the jobs that are due, together; an empty list takes up what was paused. When it throws an
   * error that is transient, none of them is taken for done.
   */
  runJobs(names: readonly string[]): Promise<BatchEnd>;
  tell(sentence: string): void;
}

/** How often the wall clock is compared with the monotonic one, and which difference is a step. */
const STEP_CHECK_MS = 30 * SECOND_MS;
const STEP_MS = 5 * SECOND_MS;
const LONGEST_SLEEP_MS = HOUR_MS; // timers cannot wait for weeks
/** Jobs whose slots come together are done together: the lists of a night before its refreshes. */
const GATHER_MS = SECOND_MS;
/** Wait before what failed is tried again: twice as long each time, up to the longest. */
const FIRST_RETRY_MS = 30 * SECOND_MS;
const LONGEST_RETRY_MS = HOUR_MS;
/** Stands among the names of due jobs for what a run left that was paused or cut off. */
const PAUSED_RUN = 'paused run';
/** Stands among the names of what is tried for what is told to the slot book. */
const TELLING_SLOTS = 'slots';
/** Stands among the names of retries for taking on slots. */
const TAKING_ON = 'schedule';

/** When a job is tried again, by the monotonic clock, and how long that was waited for. */
interface Retry {
  at: number;
  waitMs: number;
}

/**
 * The daemon. Cron only wakes it; the slot book decides who of all processes does a slot's work, once.
 * A slot missed while nothing ran, or cron did not wake it, is caught up within the hour, the newest
 * one only: the service knows no past. Jobs due together are done together, batches one after another.
 * What fails for now is tried again at its next slot at the latest; what a stop keeps from being done
 * is given back, for whoever is started next.
 */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #slots: SlotBook;
  /** The newest slot of each job that is still to be taken on. */
  readonly #arrived = new Map<string, number>();
  /** The slot of each job that was taken on and is not done. */
  readonly #taken = new Map<string, number>();
  /** What a process left that died is due at once. */
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

  /** Takes on the slots that came, also while the machine slept or its clock was set ahead. */
  async #takeOn(): Promise<void> {
    const { jobs, clock } = this.#deps;
    for (const { name, cron } of jobs) {
      const slotAt = cron.previousSlot(clock.now());
      if (slotAt !== undefined && !this.#arrived.has(name)) this.#arrived.set(name, slotAt);
    }
    const taken = await this.#attempt(TAKING_ON, async () => {
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
        this.#deps.tell(
          `${slot.job} of ${isoOf(slot.slotAt)} is taken over: the daemon that claimed it is gone.`,
        );
        this.#take(slot);
      }
    });
    if (taken.ok) this.#retries.delete(TAKING_ON);
    else this.#retryLater(TAKING_ON);
  }

  #take({ job, slotAt }: Slot): void {
    this.#taken.set(job, slotAt);
    this.#due.add(job);
  }

  /** Leaves what was taken on and is not done to whoever comes next. */
  async #giveBack(): Promise<void> {
    const { lake, warn } = this.#deps;
    try {
      for (const [job, slotAt] of this.#taken) await this.#slots.giveBack({ job, slotAt });
    } catch (error) {
      const told = error instanceof TrendlakeError ? error : lakeErrorOf(error, lake.path);
      if (told === undefined) throw error;
      warn(
        `What is left of ${[...this.#taken.keys()].join(', ')} waits for its next slot: ${told.message}`,
      );
    }
  }

  /**
   * Runs until the signal is aborted and the batch at work has ended.
   * @throws LakeError when the lake was exchanged: whoever supervises starts the next one on the new
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

  /** After the clock was set back, slots that were done under the old time come again. */
  async #forgetFuture(): Promise<void> {
    const at = this.#deps.clock.now() + MINUTE_MS;
    await this.#attempt(TELLING_SLOTS, async () => this.#slots.forgetAfter?.(at));
  }

  /** Starts the timers of the crons, in place of those that run. */
  #arm(jobs: readonly Scheduled[]): void {
    this.#disarm();
    this.#stops = jobs.map(({ name, cron }) => cron.start((slotAt) => this.#arrive(name, slotAt)));
  }

  #disarm(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Adds what is due without a slot: a pause ended, or a retry's time has come. */
  #resume(): void {
    const { clock } = this.#deps;
    const now = clock.monotonic();
    for (const [name, { at }] of this.#retries)
      if (now >= at && name !== TAKING_ON) this.#due.add(name);
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

  /** What is done needs no one to take it over; that nobody could be told is mended by its next slot. */
  async #done(job: string): Promise<void> {
    const slotAt = this.#taken.get(job);
    this.#taken.delete(job);
    if (slotAt === undefined) return;
    try {
      await this.#slots.done({ job, slotAt }); // also while it stops: else another would do it again
    } catch (error) {
      if (!(error instanceof TrendlakeError)) throw error;
      this.#deps.warn(`${job} is done, which others do not know: ${error.message}`);
    }
  }

  /** Says that this daemon lives, for as long as it does. */
  async #keepAlive(over: AbortSignal): Promise<void> {
    const { aliveMs } = this.#slots;
    if (aliveMs === undefined) return;
    while (!over.aborted) {
      if (this.#taken.size > 0)
        await this.#attempt(TELLING_SLOTS, async () => this.#slots.keepAlive?.());
      await this.#deps.clock.sleep(aliveMs, over).catch(() => {}); // over
    }
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

  /**
   * Waits until something is due without a slot, or the wall clock was stepped. Timers of the crons were
   * armed for the old time: after a step back none would fire until that time is reached again.
   */
  async #restUnlessStepped(signal: AbortSignal): Promise<void> {
    const { clock, jobs, tell } = this.#deps;
    const offset = (): number => clock.now() - clock.monotonic();
    const before = offset();
    for (let restMs = this.#restMs; restMs > 0; restMs -= STEP_CHECK_MS) {
      await clock.sleep(Math.min(restMs, STEP_CHECK_MS), signal);
      if (Math.abs(offset() - before) < STEP_MS) continue;
      tell(`The clock was set to ${isoOf(clock.now())}; the schedule follows it.`);
      await this.#forgetFuture();
      this.#arm(jobs);
      return;
    }
  }

  /** How long nothing is due but by a slot. */
  get #restMs(): number {
    const { clock } = this.#deps;
    const waits = [...this.#retries.values()].map(({ at }) => at - clock.monotonic());
    if (this.#pausedUntil !== null) waits.push(this.#pausedUntil - clock.now());
    const longestMs = this.#slots.aliveMs ?? LONGEST_SLEEP_MS; // others may have died
    return Math.max(0, Math.min(longestMs, ...waits));
  }

  /** Until a slot comes, a pause ends, a retry is due or the signal is aborted. */
  async #sleep(): Promise<void> {
    const { clock, signal } = this.#deps;
    if (signal.aborted) return;
    const awake = new AbortController();
    const timer = this.#restUnlessStepped(awake.signal).catch(() => {}); // woken before its time
    await Promise.race([this.#wake.promise, timer]);
    awake.abort();
    if (this.#arrived.size > 0) await clock.sleep(GATHER_MS, signal).catch(() => {}); // stopping
    this.#wake = Promise.withResolvers<void>();
  }
}
