/** A job that asks, with its slots until the month ends. */
export interface JobLoad {
  job: string;
  /** Lists cost what they cost; refreshes spend what is left. */
  stage: 'lists' | 'watches' | 'refreshes';
  /** Cron expression, or `off`. */
  schedule: string;
  /** Unix ms of its runs until the month ends, first one first. */
  runsAt: readonly number[];
  /** Calls of one run of a list; of refreshes the most one run may make (infinite: no ceiling). */
  callsPerRun: number;
  /** Weight among the refreshes. */
  share: number;
}

/** What there is to spend until the month ends. */
export interface Means {
  /** Calls of a whole month. */
  limit: number;
  /** Calls left. */
  remaining: number;
  /** Of those, calls kept for people who ask by hand. */
  reserve: number;
  ratePerMinute: number;
}

/** What one job will spend until the month ends. */
export interface JobForecast {
  job: string;
  schedule: string;
  runs: number;
  callsPerRun: number;
  calls: number;
  minutesPerRun: number;
  /** Of a month's calls. */
  shareOfMonth: number;
}

/** What the rest of the month will spend, and whether there is enough. */
export interface MonthForecast {
  jobs: JobForecast[];
  fixed: number;
  refreshes: number;
  reserve: number;
  /** Calls nobody has a use for. */
  surplus: number;
  fits: boolean;
  /** Calls that are missing for lists and reserve. */
  missing: number;
  /** Unix ms of the first list that finds no call left; null: there is enough for all lists. */
  spentAt: number | null;
  /** What would make it fit, in words. */
  advice: string[];
}

const MOST_THINNED = 24;

/**
 * How to thin schedules until `missing` calls are saved: the job that costs most first, each only as
 * much as it takes.
 */
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

/** When lists on their schedules find no call left, nothing else being asked; null: never. */
const spentAt = (lists: readonly JobLoad[], remaining: number): number | null => {
  const runs = lists
    .flatMap(({ runsAt, callsPerRun }) => runsAt.map((at) => ({ at, calls: callsPerRun })))
    .sort((a, b) => a.at - b.at);
  let left = remaining;
  for (const { at, calls } of runs) {
    left -= calls;
    if (left < 0) return at;
  }
  return null;
};

/**
 * Spreads what is left of the month: first the lists on their schedules, then the reserve; the refreshes
 * share the rest by weight, each evenly over its runs. What an earlier run did not spend is
 * part of the rest, so it rolls forward.
 */
export const forecastMonth = (
  loads: readonly JobLoad[],
  { limit, remaining, reserve, ratePerMinute }: Means,
): MonthForecast => {
  const perRun = (load: JobLoad, rest: number, weights: number): number =>
    load.stage !== 'refreshes' || load.runsAt.length === 0
      ? load.callsPerRun
      : Math.min(load.callsPerRun, Math.floor((rest * load.share) / weights / load.runsAt.length));
  const lists = loads.filter(({ stage }) => stage !== 'refreshes');
  const refreshes = loads.filter(({ stage, runsAt }) => stage === 'refreshes' && runsAt.length > 0);
  const fixed = lists.reduce(
    (sum, { runsAt, callsPerRun }) => sum + Math.round(runsAt.length * callsPerRun),
    0,
  );
  const rest = Math.max(0, remaining - fixed - reserve);
  const weights = Math.max(
    1,
    refreshes.reduce((sum, { share }) => sum + share, 0),
  );
  const jobs = [...lists, ...refreshes].map((load): JobForecast => {
    const callsPerRun = perRun(load, rest, weights);
    const runs = load.runsAt.length;
    const calls = Math.round(callsPerRun * runs);
    return {
      job: load.job,
      schedule: load.schedule,
      runs,
      callsPerRun,
      calls,
      minutesPerRun: callsPerRun / ratePerMinute,
      shareOfMonth: calls / limit,
    };
  });
  const spent = (stage: readonly JobLoad[]): number =>
    jobs
      .filter(({ job }) => stage.some((load) => load.job === job))
      .reduce((sum, { calls }) => sum + calls, 0);
  const missing = Math.max(0, fixed + reserve - remaining);
  return {
    jobs,
    fixed,
    refreshes: spent(refreshes),
    reserve,
    surplus: Math.max(0, rest - spent(refreshes)),
    fits: missing === 0,
    missing,
    spentAt: spentAt(lists, remaining),
    advice: adviceFor(
      missing,
      jobs.slice(0, lists.filter(({ stage }) => stage === 'lists').length),
    ),
  };
};
