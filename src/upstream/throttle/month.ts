import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { anyCallOf, type CountedKey, callsOf } from './counted-key.ts';

/** One accounting window of the quota. */
export interface MonthWindow {
  startsAt: number;
  /** When calls are free again; for a rolling window, when its oldest call leaves it. */
  endsAt: number;
}

/** Length of a rolling month. */
export const ROLLING_MS = 30 * DAY_MS;

/** Midnight UTC of day `day` of a month, the last day where the month is shorter. */
const anchorIn = (year: number, month: number, day: number): number => {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, lastDay));
};

/**
 * The window that `now` lies in. `reset` is `calendar` (from the 1st, UTC), `anchor:<day>` (from
 * that day of the month, its last day where it is shorter) or `rolling` (the last 30 days).
 */
export const monthWindow = (reset: string, now: number): MonthWindow => {
  if (reset === 'rolling') return { startsAt: now - ROLLING_MS, endsAt: now + ROLLING_MS };
  const day = reset === 'calendar' ? 1 : Number(reset.slice('anchor:'.length));
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const thisAnchor = anchorIn(year, month, day);
  return now >= thisAnchor
    ? { startsAt: thisAnchor, endsAt: anchorIn(year, month + 1, day) }
    : { startsAt: anchorIn(year, month - 1, day), endsAt: thisAnchor };
};

/** State of the month. */
export interface MonthState extends MonthWindow {
  limit: number;
  spent: number;
  remaining: number;
}

/** Settings that define a month. */
interface MonthLimits {
  readonly callsPerMonth: number;
  readonly quotaReset: string;
  readonly key?: CountedKey | undefined;
}

/**
 * Reads the month as the ledger has it, at an instant (Unix ms). Calls whose outcome is unknown count
 * as spent, and so do those stamped later than now: a clock that stepped back over the month's edge
 * frees nothing. Calls made while the clock was behind an earlier call count in that one's month too.
 * Calls that found nobody cost nothing.
 */
export const monthReader = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { key, quotaReset, callsPerMonth }: MonthLimits,
): ((now: number) => MonthState) => {
  const reader = (sql: string) => {
    const parts = callsOf(key).map((of) => ({
      of: of.key,
      read: prepare(sqlite, `${sql} ${of.sql}`, 'number?'),
    }));
    return (window: MonthWindow): (number | null)[] =>
      parts.map(({ of, read }) => required(read.get({ ...window, key: of })));
  };
  const counter = (where: string) => {
    const read = reader(`select count(*) from calls where ${where}`);
    return (window: MonthWindow): number =>
      read(window).reduce<number>((sum, calls) => sum + (calls ?? 0), 0);
  };
  // the difference of two indices: counting `sent = 1` would read every row of the month
  const stamped = counter('sent_at >= @startsAt');
  const foundNobody = counter('sent_at >= @startsAt and sent = 0');
  const behind = counter(
    'counted_at >= @startsAt and counted_at < @endsAt and sent_at < @startsAt and sent = 1',
  );
  const sentAt =
    quotaReset === 'rolling'
      ? reader('select min(sent_at) from calls where sent_at >= @startsAt and sent = 1')
      : () => [];
  return (now) => {
    const window = monthWindow(quotaReset, now);
    const oldest = Math.min(...sentAt(window).map((at) => at ?? Number.POSITIVE_INFINITY));
    const spent = stamped(window) - foundNobody(window) + behind(window);
    return {
      startsAt: window.startsAt,
      endsAt: Number.isFinite(oldest) ? oldest + ROLLING_MS : window.endsAt,
      limit: callsPerMonth,
      spent,
      remaining: Math.max(0, callsPerMonth - spent),
    };
  };
};

/** A month nothing was spent of. */
export const emptyMonth = (
  { quotaReset, callsPerMonth }: { callsPerMonth: number; quotaReset: string },
  now: number,
): MonthState => ({
  ...monthWindow(quotaReset, now),
  limit: callsPerMonth,
  spent: 0,
  remaining: callsPerMonth,
});

/** Most steps of a line of the month. */
const MOST_STEPS = 240;

/** Calls left of a month after each step until now (Unix ms), the current state last. */
export const spentOverTime = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { startsAt, limit, remaining, endsAt }: MonthState,
  now: number,
  key?: CountedKey,
): { at: number; left: number }[] => {
  const of = anyCallOf(key);
  const stepMs = Math.ceil((Math.min(endsAt, now) - startsAt) / MOST_STEPS) || 1;
  const rows = prepare(
    sqlite,
    // what is bound is a double, and would make a step of each call
    `select cast((sent_at - @startsAt) / @stepMs as integer) as step, sum(sent) as calls from calls
       where sent_at >= @startsAt and sent_at <= @now ${of.sql} group by 1 order by 1`,
    { step: 'number', calls: 'number' },
  ).all({ ...of.parameters, startsAt, stepMs, now });
  let left = limit;
  const line = [{ at: startsAt, left }];
  for (const { step, calls } of rows) {
    left = Math.max(0, left - calls);
    line.push({ at: Math.min(now, startsAt + (step + 1) * stepMs), left });
  }
  return [...line, { at: now, left: remaining }];
};
