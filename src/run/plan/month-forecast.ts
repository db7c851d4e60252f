/** A job with its slots until the end of the month. */
export interface JobLoad {
  job: string;
  /** Lists cost what they cost; refreshes spend what is left. */
  stage: 'lists' | 'watches' | 'refreshes';
  /** Cron expression, or `off`. */
  schedule: string;
  /** Unix ms of its runs until the end of the month, ascending. */
  runsAt: readonly number[];
  /** Calls of one run of a list; maximum of one run of refreshes (infinite: no limit). */
  callsPerRun: number;
  /** Weight among the refreshes. */
  share: number;
}

/** Calls to spend until the end of the month. */
export interface Means {
  /** Calls of a whole month. */
  limit: number;
  /** Calls left. */
  remaining: number;
  /** Part of `remaining` kept for requests made by hand. */
  reserve: number;
  ratePerMinute: number;
}

/** Calls of one job until the end of the month. */
export interface JobForecast {
  job: string;
  schedule: string;
  runs: number;
  callsPerRun: number;
  calls: number;
  minutesPerRun: number;
  /** Part of a month's calls, 0 to 1. */
  shareOfMonth: number;
}

/** Calls until the end of the month. */
export interface MonthForecast {
  jobs: JobForecast[];
  fixed: number;
  refreshes: number;
  reserve: number;
  /** Calls that no job can use. */
  surplus: number;
  fits: boolean;
  /** Missing calls for lists and reserve. */
  missing: number;
  /** Unix ms of the first list without calls left; null: enough for all lists. */
  spentAt: number | null;
  /** Changes that would make it fit. */
  advice: string[];
}

const MOST_THINNED = 24;

/** Advice to thin schedules until `missing` calls are saved, most expensive job first. */
const adviceFor = (missing: number, lists: readonly JobForecast[]): string[] => {
  const advice: string[] = [];
  let still = missing;
  for (const { job, schedule, runs, callsPerRun, calls } of lists.toSorted(
    (a, b) => b.calls - a.calls,
  )) {
    if (still <= 0 || runs < 2 || calls === 0) continue;
    const runsLeft = Math.floor((calls - still) / callsPerRun);
    const every = runsLeft < 1 ? MOST_THINNED : Math.min(MOST_THINNED, Math.ceil(runs / runsLeft));
    const saved = calls - Math.ceil(runs / every) * callsPerRun;
    still -= saved;
    advice.push(
      `Run ${job} (now "${schedule}") once where it ran ${every} times: saves ${saved} calls. Set TRENDLAKE_SCHEDULES={"${job}": "<cron>"}.`,
    );
  }
  if (still > 0)
    advice.push(
      `Thinning schedules does not save enough (${still} calls are still missing): pull fewer TRENDLAKE_PLATFORMS, read lists less deep with TRENDLAKE_LIST_ITEMS, or lower TRENDLAKE_RESERVE_PERCENT.`,
    );
  return advice;
};

/** Sum of a field. */
export const sumOf = <F extends string>(
  all: readonly Readonly<Record<F, number>>[],
  field: F,
): number => all.reduce((sum, member) => sum + member[field], 0);

/** Calls of each run, in the order of time. */
export const callsOverTime = (
  loads: readonly Pick<JobLoad, 'runsAt' | 'callsPerRun'>[],
): { at: number; calls: number }[] =>
  loads
    .flatMap(({ runsAt, callsPerRun }) => runsAt.map((at) => ({ at, calls: callsPerRun })))
    .sort((a, b) => a.at - b.at);

/** Instant at which lists run out of calls; null: never. */
const spentAt = (lists: readonly JobLoad[], remaining: number): number | null => {
  let left = remaining;
  for (const { at, calls } of callsOverTime(lists)) {
    left -= calls;
    if (left < 0) return at;
  }
  return null;
};

/**
 * Plans the rest of the month. Lists come first, then the reserve. Refreshes share the rest by
 * weight, evenly over their runs. Unspent calls roll forward.
 */
export const forecastMonth = (
  loads: readonly JobLoad[],
  { limit, remaining, reserve, ratePerMinute }: Means,
): MonthForecast => {
  const forecastOf = ({ job, schedule, runsAt }: JobLoad, callsPerRun: number): JobForecast => {
    const runs = runsAt.length;
    const calls = Math.round(callsPerRun * runs);
    const minutesPerRun = callsPerRun / ratePerMinute;
    return { job, schedule, runs, callsPerRun, calls, minutesPerRun, shareOfMonth: calls / limit };
  };
  const forecastFixed = (some: readonly JobLoad[]): JobForecast[] =>
    some.map((load) => forecastOf(load, load.callsPerRun));
  const fixedLoads = loads.filter(({ stage }) => stage !== 'refreshes');
  const fixedJobs = forecastFixed(fixedLoads);
  const fixed = sumOf(fixedJobs, 'calls');
  const rest = Math.max(0, remaining - fixed - reserve);
  const refreshes = loads.filter(({ stage, runsAt }) => stage === 'refreshes' && runsAt.length > 0);
  const weights = Math.max(1, sumOf(refreshes, 'share'));
  const refreshJobs = refreshes.map((load) => {
    const ofRest = Math.floor((rest * load.share) / weights / load.runsAt.length);
    return forecastOf(load, Math.min(load.callsPerRun, ofRest));
  });
  const refreshCalls = sumOf(refreshJobs, 'calls');
  const missing = Math.max(0, fixed + reserve - remaining);
  return {
    jobs: [...fixedJobs, ...refreshJobs],
    fixed,
    refreshes: refreshCalls,
    reserve,
    surplus: Math.max(0, rest - refreshCalls),
    fits: missing === 0,
    missing,
    spentAt: spentAt(fixedLoads, remaining),
    advice: adviceFor(missing, forecastFixed(loads.filter(({ stage }) => stage === 'lists'))),
  };
};
