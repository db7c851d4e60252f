import { createTask, parse, validate } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';

const FARTHEST_BACK_MS = 32 * DAY_MS;
const LONGEST_REPEAT_MS = DAY_MS;

const matcherOf = (expression: string, timezone: string): ((at: number) => boolean) => {
  const task = createTask(expression, () => {}, { timezone });
  void task.destroy(); // node-cron keeps a task until it is destroyed; `match` still works then
  return (at) => task.match(new Date(at));
};

/** Slots of a job, Unix ms on whole minutes. */
export interface Cron {
  /** Newest slot at or before `now`, at most 32 days back. */
  previousSlot(now: number): number | undefined;
  /** Slots after `from` and before `to`. */
  slots(from: number, to: number): number[];
}

/** A jump of a zone's wall clock, at an instant (Unix ms). */
interface WallClockChange {
  at: number;
  /** Wall time before and after the jump, as if in UTC. */
  from: number;
  to: number;
}

/** Clock changes of a zone after `from` and up to `to`, such as the start of summer time. */
const wallClockChanges = (timezone: string, from: number, to: number): WallClockChange[] => {
  if (timezone === 'UTC') return [];
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offsetMs = (at: number): number => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  };
  const changes: WallClockChange[] = [];
  const first = Math.floor(from / MINUTE_MS) * MINUTE_MS; // clocks jump at whole minutes
  for (let start = first; start < to; start += DAY_MS) {
    const before = offsetMs(start);
    const after = offsetMs(start + DAY_MS);
    if (before === after) continue;
    let [low, high] = [start, start + DAY_MS]; // last instant before the change, first instant after it
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetMs(middle) === before) low = middle;
      else high = middle;
    }
    if (high <= to) changes.push({ at: high, from: high + before, to: high + after });
  }
  return changes;
};

/** Rejects most minutes quickly, because node-cron is slow. Hours are checked in UTC only. */
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
 * A job with fixed hours runs once a day even if the wall clock changes: right after the jump if
 * its minute is skipped, the first time if it is repeated. A job of every hour (`*`) follows
 * elapsed hours.
 */
export class CronExpression implements Cron {
  readonly #timezone: string;
  readonly #keepsToWallClock: boolean;
  readonly #prefilter: Prefilter;
  readonly #matches: (at: number) => boolean;
  readonly #matchesWallTime: (at: number) => boolean;

  /** @throws UsageError naming the job when the expression is invalid */
  constructor(job: string, expression: string, timezone: string) {
    const fields = expression.trim().split(/\s+/);
    if (!validate(expression) || fields.length !== 5)
      throw new UsageError(
        `The schedule of job ${job} (TRENDLAKE_SCHEDULES) must be a cron expression of five fields, such as "15 2 * * *"; it is "${expression}".`,
      );
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

  /** Returns a test for slots between two instants (Unix ms). */
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

  /** True if the clock change skips a slot. */
  #isSkipped({ from, to }: WallClockChange): boolean {
    for (let at = from; at < to; at += MINUTE_MS) if (this.#matchesWallTime(at)) return true;
    return false;
  }
}
