import { createTask, parse, validate } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { UsageError } from '../errors.ts';
import { type WallClockChange, wallClockChanges } from './wall-clock.ts';

/** A cron expression in a time zone. Instants are Unix ms, on whole minutes. */
export interface Cron {
  /** The newest slot at or before `now`, looking back at most 32 days; undefined without one. */
  previousSlot(now: number): number | undefined;
  /** The slots after `from` and before `to`. */
  slots(from: number, to: number): number[];
  /** Calls `onSlot` whenever a slot comes, until the returned function is called. */
  start(onSlot: (slotAt: number) => void): () => void;
}

const FARTHEST_BACK_MS = 32 * DAY_MS;
const LONGEST_REPEAT_MS = DAY_MS;

/** Whether the expression, read as wall time, matches. */
const matcherOf = (expression: string, timezone: string): ((at: number) => boolean) => {
  const task = createTask(expression, () => {}, { timezone });
  void task.destroy(); // node-cron keeps every task until then; a destroyed one still matches
  return (at) => task.match(new Date(at));
};

/**
 * A job of certain hours is due once a day, whatever the wall clock does: in the night that skips its
 * minute right after the jump, in the one that repeats it the first time. A job of every hour (`*`)
 * follows the hours that pass.
 * @throws UsageError naming the job when the expression is none
 */
export const cronOf = (job: string, expression: string, timezone: string): Cron => {
  const fields = expression.trim().split(/\s+/);
  if (!validate(expression) || fields.length !== 5)
    throw new UsageError(
      `The schedule of job ${job} (TRENDLAKE_SCHEDULES) must be a cron expression of five fields, such as "15 2 * * *"; it is "${expression}".`,
    );
  const matches = matcherOf(expression, timezone);
  const matchesWallTime = matcherOf(expression, 'UTC');
  const keepsToWallClock = fields[1]?.startsWith('*') === false;
  // zones differ from UTC by quarters of an hour: other minutes, and other hours of UTC, match nothing
  const step = timezone === 'UTC' ? 60 : 15;
  const { minute, hour } = parse(expression);
  const minutes = new Set(minute.map((each) => each % step));
  const hours = timezone === 'UTC' ? new Set(hour) : undefined;
  const mayMatch = (at: number): boolean =>
    minutes.has((at / MINUTE_MS) % step) &&
    (hours === undefined || hours.has(Math.floor(at / HOUR_MS) % 24));

  /** Tells slots between two instants (Unix ms). */
  const slotsWithin = (from: number, to: number): ((at: number) => boolean) => {
    const changes = keepsToWallClock
      ? wallClockChanges(timezone, from - LONGEST_REPEAT_MS, to)
      : [];
    const skipped = ({ from: wall, to: end }: WallClockChange): boolean => {
      for (let at = wall; at < end; at += MINUTE_MS) if (matchesWallTime(at)) return true;
      return false;
    };
    const madeUpFor = new Set(changes.filter(skipped).map(({ at }) => at));
    const repeats = changes.filter((change) => change.from > change.to);
    const isRepeated = (at: number): boolean =>
      repeats.some((change) => at >= change.at && at < change.at + change.from - change.to);
    return (at) => madeUpFor.has(at) || (mayMatch(at) && matches(at) && !isRepeated(at));
  };
  return {
    previousSlot: (now) => {
      const newest = Math.floor(now / MINUTE_MS) * MINUTE_MS;
      const isSlot = slotsWithin(newest - FARTHEST_BACK_MS, newest);
      for (let at = newest; at > newest - FARTHEST_BACK_MS; at -= MINUTE_MS)
        if (isSlot(at)) return at;
      return undefined;
    },
    slots: (from, to) => {
      const isSlot = slotsWithin(from, to);
      const slots: number[] = [];
      for (let at = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS; at < to; at += MINUTE_MS)
        if (isSlot(at)) slots.push(at);
      return slots;
    },
    start: (onSlot) => {
      const ring = (at: number): void => {
        if (slotsWithin(at, at)(at)) onSlot(at);
      };
      const task = createTask(
        expression,
        ({ date }) => ring(Math.floor(date.getTime() / MINUTE_MS) * MINUTE_MS),
        { timezone, suppressMissedWarning: true },
      );
      void task.start();
      return () => void task.destroy();
    },
  };
};
