import type { Clock } from '../../base/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/durations.ts';
import { TrendlakeError } from '../../base/errors.ts';
import { isoOf } from '../../base/iso.ts';
import { lakeErrorOf } from '../../lake/explain-error.ts';
import type { Lake } from '../../lake/open.ts';
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
const LONGEST_SLEEP_MS = HOUR_MS;
/** First wait before a retry. It doubles up to the longest. */
const FIRST_RETRY_MS = 30 * SECOND_MS;
const LONGEST_RETRY_MS = HOUR_MS;
/** Name of due work: a paused or interrupted run. */
const PAUSED_RUN = 'paused run';
/** Names of attempts: claiming slots, and other writes to the slot book. */
const CLAIMING_SLOTS = 'schedule';
const WRITING_SLOTS = 'slots';

/** A job, or the paused run, that is not done. */
interface Work {
  /** Monotonic clock. */
  readonly dueAt: number;
  /** Wait before the last retry; undefined: none. */
  readonly waitMs?: number | undefined;
  /** Claimed slot. */
  readonly slotAt?: number | undefined;
}

/** Both clocks at one moment. */
type Moment = Readonly<Record<'wall' | 'monotonic', number>>;

/**
 * The daemon. It wakes at each slot, and the slot book decides which process does its work.
 * A missed slot is caught up within the hour, only the newest, because the service has no history.
 * Jobs due together run together, in batches one after another. Temporary failures are retried at
 * the next slot at the latest. A stop gives unfinished slots back to the next daemon.
 */
export class Schedule {
  readonly #deps: ScheduleDeps;
  readonly #work = new Map<string, Work>();
  #pausedUntil: number | null = null;
  #hasClaimed = true;
  readonly #attempt: Attempting;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
    const { lake, signal, warn, fail } = deps;
    this.#attempt = attempting({ lakePath: lake.path, signal, report: { warn, fail } });
    this.#makeDue(PAUSED_RUN); // the run of a dead process is due immediately
  }

  /**
   * Runs until the signal is aborted and the current batch has ended.
   * @throws LakeError when the lake was replaced. The supervisor then restarts the daemon.
   */
  async run(): Promise<void> {
    const { lake, clock, signal } = this.#deps;
    await this.#forgetFuture();
    const over = new AbortController();
    void this.#keepAlive(over.signal);
    try {
      while (!signal.aborted) {
        lake.requireThere();
        const since = { wall: clock.now(), monotonic: clock.monotonic() };
        await this.#claimSlots(since.wall);
        await this.#runDue();
        await this.#sleep(since);
      }
      await this.#giveBack();
    } finally {
      over.abort();
    }
  }

  /** Claims slots, including those missed while the machine slept or its clock was set ahead. */
  async #claimSlots(now: number): Promise<void> {
    const { jobs, slots, report } = this.#deps;
    const claimed = await this.#attempt(CLAIMING_SLOTS, async () => {
      for (const { name: job, cron } of jobs) {
        const slotAt = cron.previousSlot(now);
        if (slotAt === undefined || !(await slots.claim({ job, slotAt }))) continue;
        this.#makeDue(job, slotAt);
        slots.noteMissed?.({ job, slotAt }, cron);
      }
      for (const { job, slotAt } of await slots.takeOver(jobs.map(({ name }) => name))) {
        report(`Took over ${job} of ${isoOf(slotAt)}: the daemon that claimed it has died.`);
        this.#makeDue(job, slotAt);
      }
    });
    this.#hasClaimed = claimed.ok;
  }

  #makeDue(name: string, slotAt?: number): void {
    const waitMs = this.#work.get(name)?.waitMs;
    this.#work.set(name, { dueAt: this.#deps.clock.monotonic(), waitMs, slotAt });
  }

  #retryLater(name: string): void {
    const { waitMs: waited, slotAt } = this.#work.get(name) ?? {};
    const waitMs = waited === undefined ? FIRST_RETRY_MS : Math.min(2 * waited, LONGEST_RETRY_MS);
    this.#work.set(name, { dueAt: this.#deps.clock.monotonic() + waitMs, waitMs, slotAt });
  }

  async #runDue(): Promise<void> {
    const { clock, signal, runJobs } = this.#deps;
    if (this.#pausedUntil !== null && clock.now() >= this.#pausedUntil) {
      this.#pausedUntil = null;
      this.#makeDue(PAUSED_RUN);
    }
    const now = clock.monotonic();
    const names = [...this.#work].flatMap(([name, { dueAt }]) => (dueAt <= now ? [name] : []));
    if (signal.aborted || names.length === 0) return;
    const jobs = names.filter((name) => name !== PAUSED_RUN);
    const batch = await this.#attempt(jobs.join(', ') || PAUSED_RUN, () => runJobs(jobs));
    if (batch.ok) this.#pause(batch.value.resumesAt);
    const again = batch.ok ? batch.value.retry : batch.retry ? names : [];
    for (const name of names) if (!again.includes(name)) await this.#done(name);
    for (const name of again) this.#retryLater(name);
  }

  /** Ends work, and marks its slot as done. If that fails, its next slot resolves it. */
  async #done(job: string): Promise<void> {
    const { slots, warn } = this.#deps;
    const slotAt = this.#work.get(job)?.slotAt;
    this.#work.delete(job);
    if (slotAt === undefined) return;
    try {
      await slots.done({ job, slotAt }); // also while stopping, so that no other daemon repeats it
    } catch (error) {
      if (!(error instanceof TrendlakeError)) throw error;
      warn(`${job} is done, but its slot could not be marked as done: ${error.message}`);
    }
  }

  /** Pauses until `resumesAt`. Null keeps a pause: resuming too early makes no call. */
  #pause(resumesAt: number | null): void {
    if (resumesAt === null || resumesAt === this.#pausedUntil) return; // already reported
    this.#pausedUntil = resumesAt;
    this.#deps.report(`Paused until ${isoOf(resumesAt)}.`);
  }

  /** Claimed slots that are not done. */
  get #openSlots(): Slot[] {
    return [...this.#work].flatMap(([job, { slotAt }]) =>
      slotAt === undefined ? [] : [{ job, slotAt }],
    );
  }

  /** Gives unfinished slots to the next daemon. */
  async #giveBack(): Promise<void> {
    const { lake, slots, warn } = this.#deps;
    const open = this.#openSlots;
    try {
      for (const slot of open) await slots.giveBack(slot);
    } catch (error) {
      const known = error instanceof TrendlakeError ? error : lakeErrorOf(error, lake.path);
      if (known === undefined) throw error;
      const jobs = open.map(({ job }) => job).join(', ');
      warn(
        `Could not release the slots of ${jobs}, which wait for their next ones: ${known.message}`,
      );
    }
  }

  async #keepAlive(over: AbortSignal): Promise<void> {
    const { clock, slots } = this.#deps;
    const { aliveMs } = slots;
    if (aliveMs === undefined) return;
    while (!over.aborted) {
      if (this.#openSlots.length > 0)
        await this.#attempt(WRITING_SLOTS, async () => slots.keepAlive?.());
      await clock.sleep(aliveMs, over).catch(() => {}); // aborted
    }
  }

  /** Frees slots of the future, which come again after the clock was set back. */
  async #forgetFuture(): Promise<void> {
    const { clock, slots } = this.#deps;
    const at = clock.now() + MINUTE_MS;
    await this.#attempt(WRITING_SLOTS, async () => slots.forgetAfter?.(at));
  }

  /** Time until a slot comes, a pause ends or a retry is due. `since`: slots were claimed then. */
  #restMs(since: Moment): number {
    const { clock, jobs, slots } = this.#deps;
    const now = clock.now();
    const longestMs = slots.aliveMs ?? LONGEST_SLEEP_MS; // other daemons may have died
    const waits = [...this.#work.values()].map(({ dueAt }) => dueAt - clock.monotonic());
    if (this.#pausedUntil !== null) waits.push(this.#pausedUntil - now);
    if (!this.#hasClaimed) waits.push(FIRST_RETRY_MS);
    const from = Math.max(since.wall, now - LONGEST_SLEEP_MS); // the clock may be years ahead since
    for (const { cron } of jobs) {
      const [next] = cron.slots(from, now + longestMs);
      if (next !== undefined) waits.push(next - now);
    }
    return Math.min(longestMs, ...waits);
  }

  /** Sleeps until work is due, the wall clock was stepped or the signal is aborted. */
  async #sleep(since: Moment): Promise<void> {
    const { clock, signal, report } = this.#deps;
    for (let restMs = this.#restMs(since); restMs > 0; restMs -= STEP_CHECK_MS) {
      await clock.sleep(Math.min(restMs, STEP_CHECK_MS), signal).catch(() => {}); // stopping
      if (signal.aborted) return;
      const steppedMs = clock.now() - since.wall - (clock.monotonic() - since.monotonic);
      if (Math.abs(steppedMs) < STEP_MS) continue;
      report(`The clock was set to ${isoOf(clock.now())}. The schedule was adjusted.`);
      await this.#forgetFuture();
      return;
    }
  }
}
