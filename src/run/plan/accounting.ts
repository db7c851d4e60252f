import type { Platform } from '../../../schema/vocabulary.ts';
import type { Config } from '../../base/config/config.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, type RowOf, required } from '../../lake/prepare.ts';
import { LAKE_LEDGERS } from '../../upstream/throttle/lake-ledger.ts';
import {
  differingLimits,
  type KeyMoment,
  type LedgerSource,
  type MonthSpent,
} from '../../upstream/throttle/ledger.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { MONTH_FROM_MS, type QuotaHint, quotaHints } from '../../upstream/throttle/quota-hints.ts';
import { forecastTogether, type KeyMonth, keyMonths, spentTogether } from './key-plan.ts';
import { type MonthForecast, sumOf } from './month-forecast.ts';
import { type PlannedJob, planMonth } from './month-plan.ts';

const JOB_ACCOUNT = {
  job: 'text',
  calls: 'number',
  failed: 'number',
  rowsChanged: 'number',
  rowsPerCall: 'number', // rows inserted or updated per call, failed ones included
} as const;

/** Instants are Unix ms. */
export interface Accounting {
  month: MonthState;
  /** Calls of each job this month. */
  byJob: RowOf<typeof JOB_ACCOUNT>[];
  /** Average of the last seven days, or since the first call if that is later. */
  callsPerDay: number;
  /** Calls spent at the end of the month, on schedule. */
  forecast: number;
  /** Instant at which the month's calls run out on schedule; null: not this month. */
  spentAt: number | null;
  plan: MonthForecast;
  /** Limits last stated by the service, with the key's name if there are several. */
  hints: (QuotaHint & { key?: string })[];
  /** Sentences about machines that state different limits for a key. */
  warnings: readonly string[];
  /** Per key, if there are several. The other figures are totals. */
  keys?: StatedKey[];
}

/** Instants are Unix ms. */
export interface KeyAccount {
  name: string;
  platforms: readonly Platform[];
  ratePerMinute: number;
  month: MonthState;
  /** Undefined if only the shared ledger knows. */
  moment?: KeyMoment;
  /** Calls spent at the end of its month, on schedule. */
  forecast: number;
  plan: MonthForecast;
}

/** A key with the service's last word on it. */
export interface StatedKey extends KeyAccount {
  /** Instant at which the service refused the key's newest call (401); null: it did not. */
  refusedAt: number | null;
  /** Instant until which the service states no calls left in the month; null: it does not. */
  spentUntil: number | null;
}

const lastWordOf = (
  lake: Lake,
  { key }: KeyMonth,
  now: number,
): Pick<StatedKey, 'refusedAt' | 'spentUntil'> => {
  const last = prepare(
    lake.sqlite,
    `select sent_at as at, status from calls
       where key is @name and finished_at is not null and sent = 1 order by sent_at desc limit 1`,
    { at: 'number', status: 'number?' },
  ).get({ name: key?.name ?? null });
  const spent = quotaHints(lake, key).find(
    ({ remaining, windowMs, resetsAt }) =>
      remaining === 0 && (windowMs ?? 0) >= MONTH_FROM_MS && (resetsAt ?? 0) > now,
  );
  return {
    refusedAt: last?.status === 401 ? last.at : null,
    spentUntil: spent?.resetsAt ?? null,
  };
};

/** Calls a minute of a key: the least that any machine of a shared ledger states. */
export const rateOf = (
  { moment }: Pick<MonthSpent, 'moment'>,
  own: { readonly ratePerMinute: number },
): number => {
  const members = moment?.members ?? [];
  return Math.min(...(members.length === 0 ? [own] : members).map((each) => each.ratePerMinute));
};

export const accountOf = ({ key, config, jobs, spent }: KeyMonth): KeyAccount => {
  const ratePerMinute = rateOf(spent, config);
  const plan = planMonth(jobs, { ...config, ratePerMinute }, spent);
  const spentBefore = config.quotaReset === 'rolling' ? 0 : spent.month.spent;
  return {
    name: key?.name ?? '',
    platforms: config.platforms,
    ratePerMinute,
    month: spent.month,
    ...(spent.moment === undefined ? {} : { moment: spent.moment }),
    forecast: spentBefore + plan.fixed + plan.refreshes,
    plan,
  };
};

/** Totals of the month so far, and its forecast. */
export const accountingOf = (lake: Lake, months: readonly KeyMonth[]): Accounting => {
  const { month, at: now } = spentTogether(months.map(({ spent }) => spent));
  const byJob = prepare(
    lake.sqlite,
    `select job, sum(sent) as calls, sum(error is not null and sent = 1) as failed,
         sum(coalesce(rows_changed, 0)) as rowsChanged,
         coalesce(round(1.0 * sum(coalesce(rows_changed, 0)) / nullif(sum(sent), 0), 1), 0) as rowsPerCall
       from calls where sent_at >= ? group by job order by calls desc, job`,
    JOB_ACCOUNT,
  ).all(month.startsAt);
  const recent = required(
    prepare(
      lake.sqlite,
      'select count(*) as calls, (select min(sent_at) from calls) as firstAt from calls where sent_at >= ? and sent = 1',
      { calls: 'number', firstAt: 'number?' },
    ).get(now - 7 * DAY_MS),
  );
  const days = Math.min(7, Math.max(1, (now - (recent.firstAt ?? now)) / DAY_MS));
  const keys = months.map((key) => ({ ...accountOf(key), ...lastWordOf(lake, key, now) }));
  const plan = forecastTogether(keys, month.limit);
  const hints = months.flatMap(({ key }) =>
    quotaHints(lake, key).map((hint) =>
      key === undefined || keys.length === 1 ? hint : { ...hint, key: key.name },
    ),
  );
  const warnings = months.flatMap(
    ({ spent }) => differingLimits(spent.moment?.members ?? []) ?? [],
  );
  return {
    month,
    byJob,
    callsPerDay: recent.calls / days,
    forecast: sumOf(keys, 'forecast'),
    spentAt: plan.spentAt,
    plan,
    hints,
    warnings,
    ...(keys.length === 1 ? {} : { keys }),
  };
};

/** Reads the spent calls from a ledger. `jobs`: all jobs. */
export const accounting = async (
  lake: Lake,
  config: Config,
  jobs: readonly PlannedJob[],
  { now, ledgers = LAKE_LEDGERS }: { now: number; ledgers?: LedgerSource },
): Promise<Accounting> => accountingOf(lake, await keyMonths(lake, config, jobs, { ledgers, now }));
