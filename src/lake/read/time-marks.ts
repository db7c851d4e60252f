import { DAY_MS, HOUR_MS } from '../../base/durations.ts';
import { dateOf } from '../../base/iso.ts';
import type { Lake } from '../open.ts';
import { prepare } from '../prepare.ts';

/** Instants of a lake that a reader may travel to, Unix ms. */
export interface TimeMarks {
  /** Newest data at least an hour before the instant; null: none. */
  readonly previous: number | null;
  /** End of the first data after the instant; null: none. */
  readonly next: number | null;
  /** First data of the lake; null: none. */
  readonly firstAt: number | null;
  /** Newest data of each day of the instant's month (UTC, YYYY-MM-DD), for days with any. */
  readonly days: ReadonlyMap<string, number>;
  /** Last pull of each hour of the instant's day (UTC). */
  readonly pulls: readonly number[];
}

const edgeOf = ({ sqlite }: Lake, pick: 'min' | 'max') => {
  const edge = prepare(
    sqlite,
    `select ${pick}(at) from (
       select ${pick}(completed_at) as at from capture where completed_at >= @from and completed_at <= @to
       union all
       select ${pick}(observed_at) from video_snapshot where observed_at >= @from and observed_at <= @to)`,
    'number?',
  );
  return (from: number, to: number): number | null => edge.get({ from, to }) ?? null;
};

const pullsOfDay = ({ sqlite }: Lake, at: number, now: number): readonly number[] => {
  const from = Math.floor(at / DAY_MS) * DAY_MS;
  return prepare(
    sqlite,
    `select max(completed_at) from capture where completed_at >= @from and completed_at <= @to
       group by completed_at / ${HOUR_MS} order by 1`,
    'number',
  ).all({ from, to: Math.min(from + DAY_MS - 1, now) });
};

/** First instant of a month, Unix ms. */
const monthStart = (at: number, months = 0): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
};

/** @param now nothing after it is shown, Unix ms */
export const timeMarks = (lake: Lake, at: number, now: number): TimeMarks => {
  const first = edgeOf(lake, 'min');
  const last = edgeOf(lake, 'max');
  const next = first(at + 1, now);
  const days = new Map<string, number>();
  for (let day = monthStart(at); day < Math.min(monthStart(at, 1), now); day += DAY_MS) {
    const newest = last(day, Math.min(day + DAY_MS - 1, now));
    if (newest !== null) days.set(dateOf(day), newest);
  }
  return {
    previous: last(0, at - HOUR_MS),
    next: next === null ? null : last(next, Math.min(next + HOUR_MS, now)),
    firstAt: first(0, now),
    days,
    pulls: pullsOfDay(lake, at, now),
  };
};
