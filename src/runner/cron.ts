import { createTask, parse, validate } from 'node-cron';
import { DAY_MS, MINUTE_MS } from '../clock.ts';
import { UsageError } from '../errors.ts';

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

/** @throws UsageError naming the job when the expression is none */
export const cronOf = (job: string, expression: string, timezone: string): Cron => {
  if (!validate(expression) || expression.trim().split(/\s+/).length !== 5)
    throw new UsageError(
      `The schedule of job ${job} (TRENDLAKE_SCHEDULES) must be a cron expression of five fields, such as "15 2 * * *"; it is "${expression}".`,
    );
  const matcher = createTask(expression, () => {}, { timezone });
  // zones differ from UTC by quarters of an hour: the other minutes need no closer look
  const step = timezone === 'UTC' ? 60 : 15;
  const minutes = new Set(parse(expression).minute.map((minute) => minute % step));
  const isSlot = (at: number): boolean =>
    minutes.has((at / MINUTE_MS) % step) && matcher.match(new Date(at));
  return {
    previousSlot: (now) => {
      const newest = Math.floor(now / MINUTE_MS) * MINUTE_MS;
      for (let at = newest; at > newest - FARTHEST_BACK_MS; at -= MINUTE_MS)
        if (isSlot(at)) return at;
      return undefined;
    },
    slots: (from, to) => {
      const slots: number[] = [];
      for (let at = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS; at < to; at += MINUTE_MS)
        if (isSlot(at)) slots.push(at);
      return slots;
    },
    start: (onSlot) => {
      const task = createTask(
        expression,
        ({ date }) => onSlot(Math.floor(date.getTime() / MINUTE_MS) * MINUTE_MS),
        { timezone, suppressMissedWarning: true },
      );
      void task.start();
      return () => void task.destroy();
    },
  };
};
