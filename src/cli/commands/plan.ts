import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { JOBS } from '../../../jobs/all-jobs.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { keepSettings } from '../../base/config/keep-setting.ts';
import type { Price } from '../../base/config/setting-readers.ts';
import { UsageError } from '../../base/errors.ts';
import { commandText } from '../../base/installation.ts';
import { isoOf, isoOrNull } from '../../base/iso.ts';
import { orCost } from '../../base/money.ts';
import { LAKE_FILE, openLakeForReading } from '../../lake/open.ts';
import { planKeep } from '../../run/maintenance/keep.ts';
import { accountOf, type KeyAccount } from '../../run/plan/accounting.ts';
import { monthsOf, planMonths, spentOfKeys, spentTogether } from '../../run/plan/key-plan.ts';
import type { MonthForecast } from '../../run/plan/month-forecast.ts';
import { cronOfJob, type PlannedJob } from '../../run/plan/month-plan.ts';
import { withWatches } from '../../run/plan/watch-planner.ts';
import { RunLog } from '../../run/run/run-log.ts';
import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { type CliIo, configOf } from '../context/io.ts';
import { openLedgers } from '../context/ledgers.ts';
import { refreshesWhileWaiting } from '../context/upstream.ts';
import { grouped } from '../text/figures.ts';
import { timeText } from '../text/relative-time.ts';

const HELP = `
Spends nothing. Lists cost what their schedules make them cost; a reserve stays for people who ask by
hand; growth and creators share the rest, spread over the month's remaining runs. Settings:
TRENDLAKE_SCHEDULES, TRENDLAKE_SHARES, TRENDLAKE_RESERVE_PERCENT, TRENDLAKE_GROWTH_CALLS,
TRENDLAKE_CREATOR_CALLS (ceilings), TRENDLAKE_LIST_ITEMS, TRENDLAKE_PLATFORMS.

Examples:
  trendlake plan
  trendlake plan --keep '{"snapshots": {"full": "180d", "daily": "3y"}}'
  TRENDLAKE_SCHEDULES='{"feed": "5 */2 * * *"}' trendlake plan`;

/** Input of the plan: each key's month so far, and requests left in an unfinished run. */
interface Known {
  spent: readonly MonthSpent[];
  jobs: readonly PlannedJob[];
  unfinished: { runId: number; requests: number } | null;
}

const known = async (config: Config, clock: Clock): Promise<Known> => {
  const now = clock.now();
  const hasLake = existsSync(join(config.dataDir, LAKE_FILE));
  await using ledgers = await openLedgers(config, clock);
  using lake = hasLake ? openLakeForReading(config.dataDir) : undefined;
  const spent = await spentOfKeys(lake, config, { ledgers, now });
  const jobs = withWatches(JOBS, lake, config, { now });
  if (lake === undefined) return { spent, jobs, unfinished: null };
  const log = new RunLog(lake);
  const run = log.unfinished();
  const unfinished =
    run === undefined ? null : { runId: run.id, requests: log.states(run.id).planned };
  return { spent, jobs, unfinished };
};

const count = (value: number): string => grouped(Math.round(value));
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const print = (
  io: CliIo,
  { rest, next }: { rest: MonthForecast; next: MonthForecast },
  {
    month,
    unfinished,
    keys,
  }: Pick<Known, 'unfinished'> & { month: MonthState; keys: KeyAccount[] },
  price: Price | undefined,
): void => {
  io.out(
    `${count(month.spent)} of ${count(month.limit)} calls spent${orCost(month.spent, price)}; ${count(month.remaining)} left until ${timeText(month.endsAt, io.clock.now())}.`,
  );
  if (unfinished !== null)
    io.out(
      `The next run first resumes run ${unfinished.runId}: ${unfinished.requests} requests left.`,
    );
  io.out(
    io.tableOf(
      rest.jobs,
      {
        job: ({ job }) => job,
        schedule: ({ schedule }) => schedule,
        'calls a run': ({ callsPerRun }) => Math.round(callsPerRun),
        minutes: ({ minutesPerRun }) => minutesPerRun.toFixed(1),
        'runs left': ({ runs }) => Math.round(runs),
        calls: (job) => Math.round(job.calls),
        'of the month': ({ shareOfMonth }) => percent(shareOfMonth),
      },
      { figures: ['minutes', 'of the month'] },
    ),
  );
  const calls = next.jobs.reduce((sum, job) => sum + job.callsPerRun, 0);
  const minutes = next.jobs.reduce((sum, job) => sum + job.minutesPerRun, 0);
  io.out(
    `The next \`${commandText('sync')}\` of all jobs, by hand: up to ${count(calls)} calls${orCost(calls, price)}, ${minutes.toFixed(1)} min at the tier's pace.`,
  );
  io.out(
    `The rest of the month: lists ${count(rest.fixed)}, reserve ${count(rest.reserve)}, refreshes ${count(rest.refreshes)}, left over ${count(rest.surplus)}.`,
  );
  io.out(
    rest.fits
      ? `It fits: lists and reserve leave ${count(month.remaining - rest.fixed - rest.reserve)} calls (${percent((month.remaining - rest.fixed - rest.reserve) / month.limit)} of a month) for refreshes.`
      : `It does not fit: the schedules need ${count(rest.missing)} more calls.`,
  );
  for (const line of rest.advice) io.out(`  ${line}`);
  if (keys.length > 1) io.out(keysTable(io, keys));
};

/** One row per key: calls spent, left and planned. */
const keysTable = (io: CliIo, keys: readonly KeyAccount[]): string =>
  io.tableOf(keys, {
    key: ({ name }) => name,
    platforms: ({ platforms }) => platforms.join(' '),
    spent: ({ month }) => Math.round(month.spent),
    left: ({ month }) => Math.round(month.remaining),
    until: ({ month }) => timeText(month.endsAt, io.clock.now()),
    lists: ({ plan }) => Math.round(plan.fixed),
    reserve: ({ plan }) => Math.round(plan.reserve),
    refreshes: ({ plan }) => Math.round(plan.refreshes),
    '': ({ plan }) => (plan.fits ? 'fits' : `${count(plan.missing)} missing`),
  });

const restJson = (rest: MonthForecast) => ({ ...rest, spentAt: isoOrNull(rest.spentAt) });

const monthJson = ({ startsAt, endsAt, ...calls }: MonthState) => ({
  ...calls,
  startsAt: isoOf(startsAt),
  resetsAt: isoOf(endsAt),
});

const keyJson = ({ name, platforms, ratePerMinute, month, plan }: KeyAccount) => ({
  name,
  platforms,
  ratePerMinute,
  month: monthJson(month),
  rest: restJson(plan),
});

/** `plan --keep`: the saving of a retention setting. */
const showSaving = (io: CliIo, config: Config, keep: string | true): void => {
  const read = keep === true ? { value: config.keep } : keepSettings(keep);
  if ('expected' in read) throw new UsageError(`--keep must be ${read.expected}. It is ${keep}.`);
  using lake = openLakeForReading(config.dataDir);
  const savings = planKeep(lake, read.value, io.clock.now());
  io.show({ keep: savings }, () =>
    io.tableOf(
      savings,
      {
        table: ({ table }) => table,
        rows: ({ rows }) => rows,
        removed: ({ removed }) => removed,
        'MB saved': ({ bytes }) => (bytes / 1e6).toFixed(1),
      },
      { figures: ['MB saved'], empty: 'This setting would remove nothing today.' },
    ),
  );
};

export const define = (command: Command, io: CliIo): void => {
  command
    .option('--json', 'one JSON document')
    .option('--keep [settings]', 'rows and bytes that TRENDLAKE_KEEP, or this JSON, would save')
    .addHelpText('after', HELP)
    .action(async (options: { keep?: string | true }) => {
      const config = configOf(io);
      if (options.keep !== undefined) return showSaving(io, config, options.keep);
      const now = io.clock.now();
      const facts = await known(config, io.clock);
      const names = JOBS.map(({ name }) => name);
      const months = monthsOf(config, facts.jobs, facts.spent);
      const rest = planMonths(months);
      const byHand = { ...config, ...refreshesWhileWaiting(config) };
      const next = planMonths(monthsOf(byHand, facts.jobs, facts.spent), names);
      const keys = months.map(accountOf);
      const { month: whole } = spentTogether(facts.spent);
      const { unfinished } = facts;
      if (!io.isJson)
        return print(io, { rest, next }, { month: whole, unfinished, keys }, config.pricePer1000);
      const nextAt = (name: string): string | null => {
        const job = JOBS.find((each) => each.name === name);
        const slot = job && cronOfJob(job, config)?.slots(now, whole.endsAt)[0];
        return isoOrNull(slot ?? null);
      };
      io.json({
        month: monthJson(whole),
        unfinished,
        nextRun: next.jobs.map(({ job, callsPerRun, minutesPerRun }) => ({
          job,
          calls: callsPerRun,
          minutes: minutesPerRun,
          nextAt: nextAt(job),
        })),
        rest: restJson(rest),
        ...(keys.length === 1 ? {} : { keys: keys.map(keyJson) }),
      });
    });
};
