import type { Config } from '../config.ts';
import { DAY_MS } from '../durations.ts';
import type { Lake } from '../lake/open.ts';
import { prepare, present } from '../lake/prepare.ts';
import { LAKE_LEDGERS } from '../throttle/lake-ledger.ts';
import type { LedgerSource, MonthSpent } from '../throttle/ledger.ts';
import type { MonthState } from '../throttle/month.ts';
import { type QuotaHint, quotaHints } from '../throttle/quota-hints.ts';
import type { Forecast } from './forecast.ts';
import { type PlanConfig, type PlannedJob, planMonth } from './month-plan.ts';

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
  /** Calls spent when the month ends, by the schedules: what the plan says. */
  forecast: number;
  /** When the month's calls end by the schedules; null: not before the month does. */
  spentAt: number | null;
  /** What the schedules will spend of the rest, and whether there is enough. */
  plan: Forecast;
  /** What the service last said of its limits, and how it was read. */
  hints: QuotaHint[];
}

/** Where the month's calls went and will go, by what is spent of it; only reads. `jobs`: every job there is. */
export const accountingOf = (
  lake: Lake,
  config: PlanConfig,
  jobs: readonly PlannedJob[],
  spent: MonthSpent,
): Accounting => {
  const now = spent.at;
  const { month } = spent;
  const byJob = prepare<JobAccount>(
    lake.sqlite,
    `select job, sum(sent) as calls, sum(error is not null and sent = 1) as failed,
         sum(coalesce(rows_changed, 0)) as rowsChanged,
         coalesce(round(1.0 * sum(coalesce(rows_changed, 0)) / nullif(sum(sent), 0), 1), 0) as rowsPerCall
       from calls where sent_at >= ? group by job order by calls desc, job`,
    {
      job: 'text',
      calls: 'number',
      failed: 'number',
      rowsChanged: 'number',
      rowsPerCall: 'number',
    },
  ).all(month.startsAt);
  const recent = present(
    prepare(
      lake.sqlite,
      'select count(*) as calls, min(sent_at) as firstAt from calls where sent_at >= ? and sent = 1',
      { calls: 'number', firstAt: 'number?' },
    ).get(now - 7 * DAY_MS),
  );
  const days = Math.max(1, (now - (recent.firstAt ?? now)) / DAY_MS);
  const callsPerDay = recent.calls / days;
  const plan = planMonth(jobs, config, spent);
  const before = config.quotaReset === 'rolling' ? 0 : month.spent;
  const forecast = before + plan.fixed + plan.refreshes;
  const hints = quotaHints(lake);
  return { month, byJob, callsPerDay, forecast, spentAt: plan.spentAt, plan, hints };
};

/** The same as of `now`, with what a ledger says is spent. */
export const accounting = async (
  lake: Lake,
  config: Config,
  jobs: readonly PlannedJob[],
  { now, ledgers = LAKE_LEDGERS }: { now: number; ledgers?: LedgerSource },
): Promise<Accounting> => accountingOf(lake, config, jobs, await ledgers.spent(lake, config, now));
