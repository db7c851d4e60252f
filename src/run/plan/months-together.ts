import type { MonthSpent } from '../../upstream/throttle/ledger.ts';
import type { JobForecast, MonthForecast } from './month-forecast.ts';

const sumOf = <T>(all: readonly T[], what: (member: T) => number): number =>
  all.reduce((sum, member) => sum + what(member), 0);

const earliest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce<number | null>(
    (first, at) => (at !== null && (first === null || at < first) ? at : first),
    null,
  );

/** All keys as one month: from the earliest start to the earliest end. */
export const spentTogether = (months: readonly MonthSpent[]): MonthSpent => {
  const all = months.map(({ month }) => month);
  return {
    month: {
      startsAt: Math.min(...all.map(({ startsAt }) => startsAt)),
      endsAt: Math.min(...all.map(({ endsAt }) => endsAt)),
      limit: sumOf(all, ({ limit }) => limit),
      spent: sumOf(all, ({ spent }) => spent),
      remaining: sumOf(all, ({ remaining }) => remaining),
    },
    byHand: sumOf(months, ({ byHand }) => byHand),
    at: Math.max(...months.map(({ at }) => at)),
  };
};

/** One job over all keys, which work in parallel: the slowest key sets the minutes. */
const jobTogether = (parts: readonly JobForecast[], limit: number): JobForecast => ({
  job: parts[0]?.job ?? '',
  schedule: parts[0]?.schedule ?? '',
  runs: Math.max(...parts.map(({ runs }) => runs)),
  callsPerRun: sumOf(parts, ({ callsPerRun }) => callsPerRun),
  calls: sumOf(parts, ({ calls }) => calls),
  minutesPerRun: Math.max(...parts.map(({ minutesPerRun }) => minutesPerRun)),
  shareOfMonth: sumOf(parts, ({ calls }) => calls) / limit,
});

/** Sum over all keys. It fits only if it fits for each key, as keys cannot share calls. */
export const forecastTogether = (
  plans: readonly { readonly name: string | undefined; readonly plan: MonthForecast }[],
  limit: number,
): MonthForecast => {
  const [only] = plans;
  if (plans.length === 1 && only !== undefined) return only.plan;
  const all = plans.map(({ plan }) => plan);
  const jobs = Map.groupBy(
    all.flatMap((plan) => plan.jobs),
    ({ job }) => job,
  );
  return {
    jobs: [...jobs.values()].map((parts) => jobTogether(parts, limit)),
    fixed: sumOf(all, ({ fixed }) => fixed),
    refreshes: sumOf(all, ({ refreshes }) => refreshes),
    reserve: sumOf(all, ({ reserve }) => reserve),
    surplus: sumOf(all, ({ surplus }) => surplus),
    fits: all.every(({ fits }) => fits),
    missing: sumOf(all, ({ missing }) => missing),
    spentAt: earliest(all.map(({ spentAt }) => spentAt)),
    advice: plans.flatMap(({ name, plan }) => plan.advice.map((line) => `Key ${name}: ${line}`)),
  };
};
