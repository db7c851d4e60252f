import { createTask, parse, validate } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { UsageError } from '../../base/errors.ts';

const FARTHEST_BACK_MS = 32 * DAY_MS;

/** Slots of a job, Unix ms on whole minutes. */
export interface Cron {
  /** Newest slot at or before `now`, at most 32 days back. */
  previousSlot(now: number): number | undefined;
  /** Slots after `from` and before `to`, ascending. */
  slots(from: number, to: number): number[];
}

/** Returns a function that tests a wall time, given as if in UTC. */
const matcherOf = (expression: string): ((wallTime: number) => boolean) => {
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  void task.destroy(); // node-cron keeps a task until it is destroyed; `match` still works then
  return (wallTime) => task.match(new Date(wallTime));
};

/** Returns a function that gives the difference of a zone from UTC at an instant. */
const offsetOf = (timezone: string): ((at: number) => number) => {
  if (timezone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  };
};

/**
 * A cron expression in a time zone.
 * A job with fixed hours runs once a day even if the wall clock changes: right after the jump if
 * its minute is skipped, the first time if it is repeated. A job of every hour (`*`) follows
 * elapsed hours.
 */
export class CronExpression implements Cron {
  readonly #keepsToWallClock: boolean;
  /** Milliseconds of a day at which the job may run. */
  readonly #times: readonly number[];
  readonly #matches: (wallTime: number) => boolean;
  readonly #offsetAt: (at: number) => number;

  /** @throws UsageError naming the job when the expression is invalid */
  constructor(job: string, expression: string, timezone: string) {
    const fields = expression.trim().split(/\s+/);
    if (!validate(expression) || fields.length !== 5)
      throw new UsageError(
        `The schedule of job ${job} (TRENDLAKE_SCHEDULES) must be a cron expression of five fields, such as "15 2 * * *"; it is "${expression}".`,
      );
    const { hour: hours, minute: minutes } = parse(expression);
    this.#times = hours.flatMap((hour) =>
      minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS),
    );
    this.#keepsToWallClock = fields[1]?.startsWith('*') === false;
    this.#matches = matcherOf(expression);
    this.#offsetAt = offsetOf(timezone);
  }

  previousSlot(now: number): number | undefined {
    for (const backMs of [HOUR_MS, DAY_MS, FARTHEST_BACK_MS]) {
      const newest = this.slots(now - backMs, now + 1).at(-1);
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  slots(from: number, to: number): number[] {
    const slots = new Set<number>();
    const firstDay = Math.floor(from / DAY_MS - 1) * DAY_MS; // wall time is up to 14 h ahead of UTC
    for (let day = firstDay; day < to + DAY_MS; day += DAY_MS) {
      const before = this.#offsetAt(day - DAY_MS);
      const after = this.#offsetAt(day + 2 * DAY_MS);
      for (const time of this.#times)
        for (const at of this.#instantsOf(day + time, before, after))
          if (at > from && at < to && this.#matches(day + time)) slots.add(at);
    }
    return [...slots].sort((a, b) => a - b);
  }

  /**
   * Instants at which a job of this wall time runs: one, or up to two if it follows elapsed hours.
   * @param before offset from UTC before that day; `after`: after it. They differ if clocks change
   */
  #instantsOf(wallTime: number, before: number, after: number): number[] {
    if (before === after) return [wallTime - before];
    const instants = [wallTime - before, wallTime - after].filter(
      (at) => at + this.#offsetAt(at) === wallTime,
    );
    if (!this.#keepsToWallClock) return instants;
    if (instants.length > 0) return instants.slice(0, 1);
    let jumpAt = wallTime - before; // the clocks skip this time
    while (this.#offsetAt(jumpAt - MINUTE_MS) === after) jumpAt -= MINUTE_MS;
    return [jumpAt];
  }
}
