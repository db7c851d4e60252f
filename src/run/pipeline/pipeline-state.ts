import { join } from 'node:path';
import type { Condition } from '../../alerts/notify/conditions.ts';
import { lakeConditions, staleSources } from '../../alerts/notify/judge.ts';
import { DAY_MS } from '../../base/durations.ts';
import { SCHEMA_VERSION } from '../../lake/migrate.ts';
import type { Lake } from '../../lake/open.ts';
import { type Origin, originOf } from '../../lake/origin.ts';
import { type ForecastState, forecastStates } from '../../learn/forecast/state.ts';
import { isCurrent, type ManifestTotals, manifestTotals } from '../../output/parquet/manifest.ts';
import { keysOf } from '../../upstream/throttle/key-limits.ts';
import { lakeSpent } from '../../upstream/throttle/lake-ledger.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import { type MonthState, spentOverTime } from '../../upstream/throttle/month.ts';
import {
  type JobItems,
  type OpenedRun,
  openedRun,
  type RunLine,
  type RunsQuery,
  runItemsByJob,
  runsPage,
} from '../maintenance/runs.ts';
import { type LakeStatus, lakeStatus } from '../maintenance/status.ts';
import { type Accounting, accountingOf, rateOf } from '../plan/accounting.ts';
import { type KeyMonth, monthsOf } from '../plan/key-plan.ts';
import { type CallsLeft, expectedSources, planLine } from '../plan/month-plan.ts';
import { withWatches } from '../plan/watch-planner.ts';
import { type PipelineSettings, type ScheduleState, scheduleState } from './schedule-state.ts';

/** Spent calls of each key in a shared ledger, or the reason why they are unknown. */
export type SpentElsewhere = readonly MonthSpent[] | { readonly unknown: string };

export interface PipelineQuery extends RunsQuery {
  /** Unix ms. */
  readonly now: number;
  /** Set if a shared ledger counts the calls. */
  readonly spent?: SpentElsewhere | undefined;
  /** Run to open, and the page of its requests. */
  readonly run: { readonly id: number; readonly page: number } | undefined;
}

/** Instants are Unix ms. */
export interface SourceState {
  readonly job: string;
  readonly lastAnswerAt: number | null;
  readonly isStale: boolean;
  readonly nextAt: number | null; // null: it is off
}

export interface TableFigures {
  readonly table: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** UTC date of its newest partition; null: none. */
  readonly newest: string | null;
}

export interface BurnDown {
  readonly month: MonthState;
  /** Calls left so far; empty if other machines spend too, because their times are unknown. */
  readonly spentLine: readonly CallsLeft[];
  readonly planLine: readonly CallsLeft[];
}

export interface QuotaState extends Accounting {
  /** Limits of all keys together in a shared ledger; undefined if the lake counts the calls. */
  readonly shared?: {
    readonly ratePerMinute: number;
    /** False: a key had no call within a day, so its limits are the settings of this machine. */
    readonly isStated: boolean;
  };
  readonly lines: readonly (BurnDown & { readonly name: string | undefined })[];
}

/** Current state. It does not depend on the instant that is shown. */
export interface PipelineNow extends Omit<ScheduleState, 'slots'> {
  readonly status: LakeStatus;
  readonly quota: QuotaState | { readonly unknown: string };
  readonly sources: readonly SourceState[];
  readonly chores: ScheduleState['slots'];
  readonly parquet: {
    readonly exportedAt: string;
    readonly codec: string | null; // null: unknown
    /** False: an earlier version wrote the files, and the next export rewrites all of them. */
    readonly isCurrent: boolean;
    readonly tables: readonly TableFigures[];
  } | null;
  readonly forecasts: readonly ForecastState[];
  readonly conditions: readonly Condition[];
  readonly origin: Origin | undefined;
}

/** Runs as of an instant, an opened run, and the current state (null if the past is shown). */
export interface PipelineState {
  readonly runs: {
    readonly total: number;
    readonly items: readonly (RunLine & { readonly byJob: readonly JobItems[] })[];
  };
  /** Runs since an instant (Unix ms), for the timeline. */
  readonly lately: { readonly since: number; readonly items: readonly RunLine[] };
  readonly opened: OpenedRun | undefined;
  readonly present: PipelineNow | null;
}

const TIMELINE_MS = 7 * DAY_MS;
const MOST_LATELY = 400;

const tablesOf = ({ files }: ManifestTotals): TableFigures[] =>
  [...Map.groupBy(files, ({ table }) => table)].map(([table, partitions]) => ({
    table,
    files: partitions.length,
    rows: partitions.reduce((sum, { rows }) => sum + rows, 0),
    bytes: partitions.reduce((sum, { bytes }) => sum + bytes, 0),
    newest: partitions.map(({ date }) => date ?? '').reduce((a, b) => (a > b ? a : b)) || null,
  }));

const parquetOf = (dataDir: string): PipelineNow['parquet'] => {
  const manifest = manifestTotals(join(dataDir, 'parquet'));
  if (manifest === undefined) return null;
  const { exportedAt, codec } = manifest;
  const tables = tablesOf(manifest);
  return { exportedAt, codec, isCurrent: isCurrent(manifest, SCHEMA_VERSION), tables };
};

const sharedLimits = (months: readonly KeyMonth[]): NonNullable<QuotaState['shared']> => ({
  ratePerMinute: months.reduce((sum, { config, spent }) => sum + rateOf(spent, config), 0),
  isStated: months.every(({ spent }) => (spent.moment?.members ?? []).length > 0),
});

const quotaOf = (
  lake: Lake,
  { config, jobs }: PipelineSettings,
  { now, spent: elsewhere }: Pick<PipelineQuery, 'now' | 'spent'>,
): PipelineNow['quota'] => {
  if (elsewhere !== undefined && 'unknown' in elsewhere) return elsewhere;
  const spent = elsewhere ?? keysOf(config).map((key) => lakeSpent(lake, key, now));
  const months = monthsOf(config, withWatches(jobs, lake, config, { now }), spent);
  return {
    ...accountingOf(lake, months),
    ...(elsewhere === undefined ? {} : { shared: sharedLimits(months) }),
    lines: months.map(({ key, config, jobs, spent }) => ({
      name: key?.name,
      month: spent.month,
      spentLine: elsewhere === undefined ? spentOverTime(lake, spent.month, now, key) : [],
      planLine: planLine(jobs, config, spent),
    })),
  };
};

const currentState = (
  lake: Lake,
  settings: PipelineSettings,
  wanted: Pick<PipelineQuery, 'now' | 'spent'>,
): PipelineNow => {
  const { config, jobs } = settings;
  const { now } = wanted;
  const status = lakeStatus(lake);
  const origin = originOf(lake);
  const { slots, ...schedule } = scheduleState(lake.dataDir, settings, now);
  const stale = staleSources(lake, expectedSources(jobs, config, now, origin), now);
  return {
    status,
    quota: quotaOf(lake, settings, wanted),
    sources: slots.slice(0, jobs.length).map(({ name, nextAt }) => ({
      job: name,
      lastAnswerAt: status.freshness.find(({ job }) => job === name)?.lastAnswerAt ?? null,
      isStale: stale.some(({ subject }) => subject === name),
      nextAt,
    })),
    chores: slots.slice(jobs.length),
    ...schedule,
    parquet: parquetOf(lake.dataDir),
    forecasts: forecastStates(lake.sqlite, now),
    conditions: [...lakeConditions(lake, now), ...stale],
    origin,
  };
};

/** Reads the state of a pipeline, with the same functions as `trendlake status`. */
export const pipelineState = (
  lake: Lake,
  settings: PipelineSettings,
  { now, spent, run, ...query }: PipelineQuery,
): PipelineState => {
  const { total, items } = runsPage(lake, query);
  const since = query.asOf - TIMELINE_MS;
  const lately = runsPage(lake, { asOf: query.asOf, limit: MOST_LATELY, page: 1 }).items;
  return {
    runs: { total, items: items.map((line) => ({ ...line, byJob: runItemsByJob(lake, line.id) })) },
    lately: { since, items: lately.filter(({ startedAt }) => startedAt > since) },
    opened:
      run === undefined
        ? undefined
        : openedRun(lake, run.id, { asOf: query.asOf, limit: query.limit, page: run.page }),
    present: query.asOf < now ? null : currentState(lake, settings, { now, spent }),
  };
};
