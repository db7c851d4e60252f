import { createTask, parse, validate } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';
import { type WallClockChange, wallClockChanges } from './wall-clock.ts';

const FARTHEST_BACK_MS = 32 * DAY_MS;
const LONGEST_REPEAT_MS = DAY_MS;

/** Whether the expression, read as wall time, matches. */
const matcherOf = (expression: string, timezone: string): ((at: number) => boolean) => {
  const task = createTask(expression, () => {}, { timezone });
  void task.destroy(); // node-cron keeps every task until then; a destroyed one still matches
  return (at) => task.match(new Date(at));
};

/** The slots of a job. Instants are Unix ms, on whole minutes. */
export interface Cron {
  /** The newest slot at or before `now`, looking back at most 32 days; undefined without one. */
  previousSlot(now: number): number | undefined;
  /** The slots after `from` and before `to`. */
  slots(from: number, to: number): number[];
  /** Calls `onSlot` whenever a slot comes, until the returned function is called. */
  start(onSlot: (slotAt: number) => void): () => void;
}

/** Minutes, and in UTC hours, outside of which an expression matches nothing: cheaper to ask than node-cron. */
class Prefilter {
  readonly #step: number;
  readonly #minutes: ReadonlySet<number>;
  readonly #hours: ReadonlySet<number> | undefined;

  constructor(expression: string, timezone: string) {
    const { minute, hour } = parse(expression);
    // zones differ from UTC by quarters of an hour
    this.#step = timezone === 'UTC' ? 60 : 15;
    this.#minutes = new Set(minute.map((each) => each % this.#step));
    this.#hours = timezone === 'UTC' ? new Set(hour) : undefined;
  }

  mayMatch(at: number): boolean {
    if (!this.#minutes.has((at / MINUTE_MS) % this.#step)) return false;
    return this.#hours === undefined || this.#hours.has(Math.floor(at / HOUR_MS) % 24);
  }
}

/**
 * A cron expression in a time zone.
 *
 * A job of certain hours is due once a day, whatever the wall clock does: in the night that skips its
 * minute right after the jump, in the one that repeats it the first time. A job of every hour (`*`)
 * follows the hours that pass.
 */
export class CronExpression implements Cron {
  readonly #expression: string;
  readonly #timezone: string;
  readonly #keepsToWallClock: boolean;
  readonly #prefilter: Prefilter;
  readonly #matches: (at: number) => boolean;
  readonly #matchesWallTime: (at: number) => boolean;

  /** @throws UsageError naming the job when the expression is none */
  constructor(job: string, expression: string, timezone: string) {
    const fields = expression.trim().split(/\s+/);
    if (!validate(expression) || fields.length !== 5)
      throw new UsageError(
        `The schedule of job ${job} (TRENDLAKE_SCHEDULES) must be a cron expression of five fields, such as "15 2 * * *"; it is "${expression}".`,
      );
    this.#expression = expression;
    this.#timezone = timezone;
    this.#keepsToWallClock = fields[1]?.startsWith('*') === false;
    this.#prefilter = new Prefilter(expression, timezone);
    this.#matches = matcherOf(expression, timezone);
    this.#matchesWallTime = matcherOf(expression, 'UTC');
  }

  previousSlot(now: number): number | undefined {
    const newest = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const isSlot = this.#slotsWithin(newest - FARTHEST_BACK_MS, newest);
    for (let at = newest; at > newest - FARTHEST_BACK_MS; at -= MINUTE_MS)
      if (isSlot(at)) return at;
    return undefined;
  }

  slots(from: number, to: number): number[] {
    const isSlot = this.#slotsWithin(from, to);
    const slots: number[] = [];
    for (let at = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS; at < to; at += MINUTE_MS)
      if (isSlot(at)) slots.push(at);
    return slots;
  }

  start(onSlot: (slotAt: number) => void): () => void {
    const ring = (at: number): void => {
      if (this.#slotsWithin(at, at)(at)) onSlot(at);
    };
    const task = createTask(
      this.#expression,
      ({ date }) => ring(Math.floor(date.getTime() / MINUTE_MS) * MINUTE_MS),
      { timezone: this.#timezone, suppressMissedWarning: true },
    );
    void task.start();
    return () => void task.destroy();
  }

  /** Tells slots between two instants (Unix ms). */
  #slotsWithin(from: number, to: number): (at: number) => boolean {
    const changes = this.#keepsToWallClock
      ? wallClockChanges(this.#timezone, from - LONGEST_REPEAT_MS, to)
      : [];
    const madeUpFor = new Set(
      changes.filter((change) => this.#isSkipped(change)).map(({ at }) => at),
    );
    const repeats = changes.filter((change) => change.from > change.to);
    const isRepeated = (at: number): boolean =>
      repeats.some((change) => at >= change.at && at < change.at + change.from - change.to);
    return (at) =>
      madeUpFor.has(at) || (this.#prefilter.mayMatch(at) && this.#matches(at) && !isRepeated(at));
  }

  /** Whether a slot lies in the wall time that a change leaves out. */
  #isSkipped({ from, to }: WallClockChange): boolean {
    for (let at = from; at < to; at += MINUTE_MS) if (this.#matchesWallTime(at)) return true;
    return false;
  }
}
