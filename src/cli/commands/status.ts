import type { Command } from 'commander';
import { choresOf, JOBS } from '../../../jobs/all-jobs.ts';
import type { Config } from '../../base/config/config.ts';
import type { Price } from '../../base/config/setting-readers.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf } from '../../base/iso.ts';
import { orCost } from '../../base/money.ts';
import { clockProblems } from '../../lake/clock-skew.ts';
import { type Lake, openLakeForReading } from '../../lake/open.ts';
import { type Origin, originOf } from '../../lake/origin.ts';
import { KIND_WORDS } from '../../lake/read/subject-name.ts';
import { listWatches } from '../../lake/watches/watches.ts';
import { type ForecastState, forecastStates } from '../../learn/forecast/state.ts';
import { type LakeStatus, lakeStatus } from '../../run/maintenance/status.ts';
import { type ScheduleState, scheduleState } from '../../run/pipeline/schedule-state.ts';
import { type Accounting, accounting } from '../../run/plan/accounting.ts';
import { lateWatches } from '../../run/plan/watch-planner.ts';
import { PausedError } from '../../upstream/throttle/errors.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { openLedgers } from '../context/ledgers.ts';
import { counted, grouped } from '../text/figures.ts';
import { forecastStateText } from '../text/forecast-scores.ts';
import { timeText } from '../text/relative-time.ts';
import { driftText, failureText, keyText } from '../text/status-text.ts';
import { oneLine } from '../text/text-table.ts';
import { watchedText } from '../text/watch-text.ts';

const EXAMPLES = `
Examples:
  trendlake status
  trendlake status --json`;

/** State of a lake, its forecasts and its schedules. */
interface Status extends LakeStatus {
  readonly forecasts: readonly ForecastState[];
  readonly schedule: ScheduleState;
  readonly watches: {
    readonly active: number;
    /** Longest first. */
    readonly late: readonly { id: string; subject: string; dueAt: number; why: string }[];
  };
  /** Problems of the clock, one sentence each. */
  readonly clock: readonly string[];
}

const MOST_LATE = 10;

const heading = (io: CliIo, text: string): void => io.out(`\n${text}`, 'heading');

const printMoney = (
  io: CliIo,
  price: Price | undefined,
  { month, byJob, callsPerDay, forecast, spentAt, plan, hints, warnings, keys = [] }: Accounting,
  origin: Origin | undefined,
): void => {
  heading(io, 'Calls this month');
  const unusable = keys
    .filter(({ refusedAt }) => refusedAt !== null)
    .reduce((sum, key) => sum + key.month.remaining, 0);
  const except =
    unusable === 0 ? '' : `, ${grouped(unusable)} of them of keys that the service refuses`;
  io.out(
    `  ${grouped(month.spent)} of ${grouped(month.limit)} spent${orCost(month.spent, price)}; ${grouped(month.remaining)} left until ${timeText(month.endsAt, io.clock.now())}${except}`,
  );
  if (origin === 'sandbox')
    io.out(
      `  calls go to the built-in sandbox, which has its own limits; ${grouped(month.limit)} is the limit of a key with these settings`,
    );
  if (month.spent > 0)
    io.out(`  recently ${grouped(Math.round(callsPerDay))} a day${orCost(callsPerDay, price)}`);
  const end = spentAt === null ? '' : `; calls run out before ${isoOf(spentAt)}`;
  io.out(
    plan.fits
      ? `  on schedule you will use ${grouped(forecast)} of ${grouped(month.limit)} calls this month${orCost(forecast, price)}`
      : `  the schedules need ${grouped(plan.missing)} more calls than are left${end}: ${commandText('plan')}`,
  );
  for (const warning of warnings) io.out(`  warning: ${warning}`);
  for (const key of keys) for (const line of keyText(key, io.clock.now())) io.out(line);
  for (const { job, calls, failed, rowsPerCall } of byJob)
    io.out(
      `  ${job.padEnd(18)} ${counted(calls, 'call')}${failed > 0 ? ` (${grouped(failed)} failed)` : ''}, ${grouped(rowsPerCall)} rows changed per call${orCost(calls, price)}`,
    );
  if (hints.length > 0) heading(io, 'Limits stated by the service');
  for (const { key, name, stated, windowMs, remaining, seenAt } of hints) {
    const read =
      windowMs === null
        ? 'not understood'
        : `${remaining === null ? 'unknown' : grouped(remaining)} left`;
    io.out(
      `  ${isoOf(seenAt)}  ${key === undefined ? '' : `key ${key}, `}${name}: ${read} (${stated})`,
    );
  }
};

const printSchedule = (io: CliIo, { slots, daemons, backup }: ScheduleState): void => {
  const now = io.clock.now();
  heading(io, 'Schedule');
  if (daemons.length === 0) io.out(`  no daemon is running: ${commandText('schedule')}`);
  for (const { holder, since } of daemons)
    io.out(`  a daemon is running: ${holder}, since ${timeText(since, now)}`);
  for (const { name, nextAt } of slots)
    io.out(`  ${name.padEnd(18)} ${nextAt === null ? 'off' : `next ${timeText(nextAt, now)}`}`);
  io.out(
    backup === null
      ? `  no backup yet: ${commandText('schedule')} makes them`
      : `  last backup of ${backup.date}, ${counted(backup.kept, 'backup')} kept`,
  );
};

const printWatches = (io: CliIo, { active, late }: Status['watches']): void => {
  if (active === 0) return;
  heading(io, 'Watches');
  io.out(
    late.length === 0
      ? `  ${grouped(active)} active, none is late`
      : `  ${grouped(active)} active, ${grouped(late.length)} late`,
  );
  for (const { id, subject, dueAt, why } of late.slice(0, MOST_LATE))
    io.out(`  ${id}  ${subject}, due ${timeText(dueAt, io.clock.now())}: ${why}`);
  if (late.length > MOST_LATE)
    io.out(`  ${grouped(late.length - MOST_LATE)} more: ${commandText('watch list')}`);
};

const print = (
  io: CliIo,
  lake: Lake,
  status: Status,
  { money, price }: { money: Accounting | { unknown: string }; price: Price | undefined },
): void => {
  const now = io.clock.now();
  io.out(`Lake ${lake.path}`);
  const perTable = status.volumes.filter(({ rows }) => rows > 0);
  io.out(perTable.map(({ table, rows }) => `  ${table.padEnd(18)} ${grouped(rows)}`).join('\n'));
  if (status.unexported > 0)
    io.out(
      `  ${counted(status.unexported, 'Parquet partition')} changed since the last export: ${commandText('export')}`,
    );

  for (const problem of status.clock) io.out(`  warning: ${problem}`);

  heading(io, 'Last runs');
  if (status.runs.length === 0) io.out(`  none yet: ${commandText('sync')}`);
  for (const run of status.runs) {
    const resumes = run.resumesAt === null ? '' : `, resumes at ${timeText(run.resumesAt, now)}`;
    io.out(
      `  ${run.id}  ${timeText(run.startedAt, now)}  ${run.outcome}, ${counted(run.calls, 'call')} (${run.jobs.join(', ')})${resumes}`,
    );
    if (run.reason !== null) io.out(`     ${run.reason}`);
  }

  if ('unknown' in money) {
    heading(io, 'Calls this month');
    io.out(`  unknown: ${money.unknown}`);
  } else printMoney(io, price, money, originOf(lake));
  if (status.freshness.length > 0) heading(io, 'Last response of each job');
  for (const { job, lastAnswerAt } of status.freshness)
    io.out(`  ${job.padEnd(18)} ${timeText(lastAnswerAt, now)}`);
  printSchedule(io, status.schedule);
  printWatches(io, status.watches);
  if (status.forecasts.length > 0) heading(io, 'Forecasts');
  for (const state of status.forecasts) io.out(forecastStateText(state));
  if (status.events.length > 0) heading(io, 'Last events');
  for (const { occurredAt, kind, name, origin } of status.events)
    io.out(
      `  ${timeText(occurredAt, now)}  ${KIND_WORDS[kind]}: ${oneLine(name)}${origin === 'upstream' ? ' (from the service)' : ''}`,
    );
  if (status.disabledEndpoints.length > 0) heading(io, 'Webhook endpoints switched off');
  for (const { id, url, disabledAt, reason } of status.disabledEndpoints)
    io.out(`  ${id}  ${url}, since ${isoOf(disabledAt)}: ${reason ?? 'by hand'}`);
  if (status.failures.length > 0) heading(io, 'Last failures');
  for (const failure of status.failures) for (const line of failureText(failure)) io.out(line);
  if (status.drift.length > 0)
    heading(io, 'Fields the interface does not describe (values are kept in extra)');
  for (const drift of status.drift) io.out(driftText(drift, `seen ${isoOf(drift.firstSeenAt)}`));
  if (status.rejected.length > 0) heading(io, 'Rejected items');
  for (const { reason, items } of status.rejected) io.out(`  ${grouped(items)}  ${reason}`);
};

/** Lake reads use Unix ms, JSON documents ISO 8601. */
const isoInstants = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    (key === 'at' || key.endsWith('At')) && typeof value === 'number' ? isoOf(value) : value,
  );

const jsonOf = (
  lake: string,
  status: Status,
  money: Accounting | { unknown: string },
  price: Price | undefined,
) => {
  const ofPrice = price === undefined ? {} : { price };
  if ('unknown' in money) return { lake, quota: null, ...ofPrice, accounting: null, ...status };
  const { month, ...spending } = money;
  const { startsAt, endsAt, ...numbers } = month;
  const quota = { ...numbers, startsAt, resetsAt: endsAt };
  return { lake, quota, ...ofPrice, accounting: spending, ...status };
};

const watchState = (
  lake: Lake,
  config: Config,
  { now, month }: { readonly now: number; readonly month?: MonthState },
): Status['watches'] => ({
  active: listWatches(lake, { activeAt: now }).length,
  late:
    month === undefined
      ? []
      : lateWatches(lake, config, { month, now }).map(({ watch, why }) => ({
          id: watch.id,
          subject: watchedText(watch),
          dueAt: watch.nextAt,
          why,
        })),
});

/** Calls spent this month, or the reason why the count is unavailable. */
const moneyOf = async (
  lake: Lake,
  config: Config,
  io: CliIo,
): Promise<Accounting | { unknown: string }> => {
  try {
    await using ledgers = await openLedgers(config, io.clock);
    return await accounting(lake, config, JOBS, { now: io.clock.now(), ledgers });
  } catch (error) {
    if (error instanceof PausedError) return { unknown: error.message };
    throw error;
  }
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--json', 'one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const config = configOf(io);
      using lake = openLakeForReading(config.dataDir);
      const now = io.clock.now();
      const chores = choresOf(config);
      const money = await moneyOf(lake, config, io);
      const status = {
        ...lakeStatus(lake),
        clock: clockProblems(lake, now),
        forecasts: forecastStates(lake.sqlite, now),
        schedule: scheduleState(config.dataDir, { config, jobs: JOBS, chores }, now),
        watches: watchState(lake, config, {
          now,
          ...('unknown' in money ? {} : { month: money.month }),
        }),
      };
      if (io.isJson) io.json(isoInstants(jsonOf(lake.path, status, money, config.pricePer1000)));
      else print(io, lake, status, { money, price: config.pricePer1000 });
    });
};
