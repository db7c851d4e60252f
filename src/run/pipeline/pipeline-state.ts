import { join } from 'node:path';
import type { Condition } from '../../alerts/notify/conditions.ts';
import { lakeConditions, staleSources } from '../../alerts/notify/judge.ts';
import { DAY_MS } from '../../base/durations.ts';
import { type Holder, living } from '../../lake/exclusive.ts';
import { SCHEMA_VERSION } from '../../lake/migrate.ts';
import type { Lake } from '../../lake/open.ts';
import { type Origin, originOf } from '../../lake/origin.ts';
import { type ForecastState, forecastStates } from '../../learn/forecast/state.ts';
import { isCurrent, type ManifestTotals, manifestTotals } from '../../output/parquet/manifest.ts';
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
import { type Accounting, accountingOf } from '../plan/accounting.ts';
import { expectedSources } from '../plan/expected-sources.ts';
import type { KeyMonth, KeyPlan } from '../plan/key-plan.ts';
import { type CallsLeft, planLine } from '../plan/month-plan.ts';
import { DAEMON } from '../schedule/daemon.ts';
import { type BackupState, backupOf, nextSlot, type PipelineSettings } from './schedule-state.ts';

/** Settings and schedules, and how the month of each key is planned. */
export interface KeyedSettings extends PipelineSettings {
  readonly plans: readonly KeyPlan[];
}

/** What a ledger of many machines says is spent of each key's month, or why it says nothing. */
export type SpentElsewhere = readonly MonthSpent[] | { readonly unknown: string };

/** What is wanted of a pipeline. */
export interface PipelineQuery extends RunsQuery {
  /** The present, Unix ms. */
  readonly now: number;
  /** What is spent, where another ledger than the lake's counts it; or why nobody knows now. */
  readonly spent?: SpentElsewhere | undefined;
  /** A run to open, and which page of its requests. */
  readonly run: { readonly id: number; readonly page: number } | undefined;
}

/** A source, when it answered last and is due next. Instants are Unix ms. */
export interface SourceState {
  readonly job: string;
  readonly lastAnswerAt: number | null;
  readonly isStale: boolean;
  readonly nextAt: number | null; // null: it is off
}

/** One table of the Parquet export. */
export interface TableFigures {
  readonly table: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** Its newest partition, a UTC date; null: it has none. */
  readonly newest: string | null;
}

/** A month's calls over time. */
export interface BurnDown {
  readonly month: MonthState;
  /** What was left over time; empty where other machines spend too, as when they did is not known here. */
  readonly spentLine: readonly CallsLeft[];
  readonly planLine: readonly CallsLeft[];
}

/** The month's calls, and those of each key over time. */
export interface QuotaState extends Accounting {
  readonly lines: readonly (BurnDown & { readonly name: string | undefined })[];
}

/** What holds now, whatever instant is shown. */
export interface PipelineNow {
  readonly status: LakeStatus;
  readonly quota: QuotaState | { readonly unknown: string };
  readonly sources: readonly SourceState[];
  readonly chores: readonly { readonly name: string; readonly nextAt: number | null }[];
  readonly daemons: readonly Holder[];
  readonly backup: BackupState | null;
  readonly parquet: {
    readonly exportedAt: string;
    readonly codec: string | null; // null: not told
    /** False: an earlier version wrote its files, and the next export writes all of them anew. */
    readonly isCurrent: boolean;
    readonly tables: readonly TableFigures[];
  } | null;
  readonly forecasts: readonly ForecastState[];
  readonly conditions: readonly Condition[];
  readonly origin: Origin | undefined;
}

/** Runs as of an instant, a run opened, and what holds now; null where the past is shown. */
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

/** What the timeline reaches back, and how many runs it shows at most. */
const TIMELINE_MS = 7 * DAY_MS;
const MOST_LATELY = 400;

const tablesOf = ({ files }: ManifestTotals): TableFigures[] =>
  [...Map.groupBy(files, ({ table }) => table)].map(([table, its]) => ({
    table,
    files: its.length,
    rows: its.reduce((sum, { rows }) => sum + rows, 0),
    bytes: its.reduce((sum, { bytes }) => sum + bytes, 0),
    newest: its.reduce<string | null>(
      (newest, { date }) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    ),
  }));

const parquetOf = (dataDir: string): PipelineNow['parquet'] => {
  const told = manifestTotals(join(dataDir, 'parquet'));
  if (told === undefined) return null;
  const { exportedAt, codec } = told;
  return { exportedAt, codec, isCurrent: isCurrent(told, SCHEMA_VERSION), tables: tablesOf(told) };
};

const quotaOf = (
  lake: Lake,
  { plans }: KeyedSettings,
  { now, spent: elsewhere }: Pick<PipelineQuery, 'now' | 'spent'>,
): PipelineNow['quota'] => {
  if (elsewhere !== undefined && 'unknown' in elsewhere) return elsewhere;
  const months = plans.map(
    (plan, index): KeyMonth => ({
      ...plan,
      spent: elsewhere?.[index] ?? lakeSpent(lake, { ...plan.config, key: plan.key }, now),
    }),
  );
  return {
    ...accountingOf(lake, months),
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
  settings: KeyedSettings,
  wanted: Pick<PipelineQuery, 'now' | 'spent'>,
): PipelineNow => {
  const { config, jobs, chores } = settings;
  const { now } = wanted;
  const status = lakeStatus(lake);
  const stale = staleSources(lake, expectedSources(jobs, config, now), now);
  return {
    status,
    quota: quotaOf(lake, settings, wanted),
    sources: jobs.map((job) => ({
      job: job.name,
      lastAnswerAt: status.freshness.find((each) => each.job === job.name)?.lastAnswerAt ?? null,
      isStale: stale.some(({ subject }) => subject === job.name),
      nextAt: nextSlot(job, config, now),
    })),
    chores: chores.map((chore) => ({ name: chore.name, nextAt: nextSlot(chore, config, now) })),
    daemons: living(lake.dataDir, DAEMON),
    backup: backupOf(lake.dataDir),
    parquet: parquetOf(lake.dataDir),
    forecasts: forecastStates(lake.sqlite, now),
    conditions: [...lakeConditions(lake, now), ...stale],
    origin: originOf(lake),
  };
};

/** Reads the pipeline of a lake; nothing is written. What `trendlake status` reads, by the same functions. */
export const pipelineState = (
  lake: Lake,
  settings: KeyedSettings,
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
