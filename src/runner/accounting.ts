import type { Config } from '../config.ts';
import { DAY_MS } from '../durations.ts';
import type { Lake } from '../lake/open.ts';
import { monthState } from '../throttle/ledger.ts';
import type { MonthState } from '../throttle/month.ts';
import { type QuotaHint, quotaHints } from '../throttle/quota-hints.ts';

/** What one job spent this month, and what that bought. */
export interface JobAccount {
  job: string;
  calls: number;
  failed: number;
  rowsChanged: number;
  /** Rows inserted or updated per call, failed ones included. */
  rowsPerCall: number;
}

/** The month in money. Instants are Unix ms. */
export interface Accounting {
  month: MonthState;
  byJob: JobAccount[];
  /** Calls a day over the last seven days, or since the first call where that is less. */
  callsPerDay: number;
  /** Calls spent when the month ends, at this pace. */
  forecast: number;
  /** When the month's calls end at this pace; null: not before the month does. */
  spentAt: number | null;
  /** What the service last said of its limits, and how it was read. */
  hints: QuotaHint[];
}

/** Reads where the month's calls went; nothing is written. */
export const accounting = (lake: Lake, config: Config, now: number): Accounting => {
  const month = monthState(lake, config, now);
  const byJob = lake.sqlite
    .prepare(
      `select job, count(*) as calls, sum(error is not null) as failed,
         sum(coalesce(rows_changed, 0)) as rowsChanged,
         round(1.0 * sum(coalesce(rows_changed, 0)) / count(*), 1) as rowsPerCall
       from calls where sent_at >= ? group by job order by calls desc, job`,
    )
    .all(month.startsAt) as JobAccount[];
  const recent = lake.sqlite
    .prepare('select count(*) as calls, min(sent_at) as firstAt from calls where sent_at >= ?')
    .get(now - 7 * DAY_MS) as { calls: number; firstAt: number | null };
  const days = Math.max(1, (now - (recent.firstAt ?? now)) / DAY_MS);
  const callsPerDay = recent.calls / days;
  const forecast = month.spent + Math.round((callsPerDay * (month.endsAt - now)) / DAY_MS);
  const endsInMs = callsPerDay > 0 ? (month.remaining / callsPerDay) * DAY_MS : Infinity;
  const spentAt = now + endsInMs < month.endsAt ? Math.round(now + endsInMs) : null;
  return { month, byJob, callsPerDay, forecast, spentAt, hints: quotaHints(lake) };
};
