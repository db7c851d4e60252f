import type { Config } from '../../base/config/config.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import type { AddedCalls } from '../../lake/watches/watch-calls.ts';
import type { LedgerSource } from '../../upstream/throttle/ledger.ts';
import { monthsOf, planMonths, spentOfKeys, spentTogether } from './key-plan.ts';
import type { PlannedJob } from './month-plan.ts';
import { wantedCalls, withWatches } from './watch-planner.ts';

/** Price of watches, and its effect on refreshes of other videos. */
export interface WatchPrice {
  /** Calls per 30 days. */
  readonly callsPerMonth: number;
  /** Calls per 30 days of the watches that these update. */
  readonly callsBefore: number;
  /** Share of the key's month, 0 to 1 and above. */
  readonly shareOfMonth: number;
  /** Calls per 30 days of all active watches with these. */
  readonly allWatches: number;
  /** Calls that watches may take of a month. */
  readonly mostWatches: number;
  /** Refreshes of other videos and creators a day, without and with these watches. */
  readonly refreshesPerDay: { readonly before: number; readonly after: number };
  /** Videos refreshed in the last week. */
  readonly videos: number;
  /** Mean delay of the refreshes of those videos in hours; null: unknown. */
  readonly hoursLater: number | null;
}

const HOURS_PER_DAY = 24;

const refreshedVideos = ({ sqlite }: Lake, now: number): number =>
  required(
    prepare(
      sqlite,
      `select count(distinct i.request) from runs r join run_items i on i.run_id = r.id
       where r.started_at > ? and i.job = 'growth' and i.state = 'done'`,
      'number',
    ).get(now - 7 * DAY_MS),
  );

/** Price of watches to add. Only reads. */
export const watchPrice = async (
  lake: Lake,
  { config, jobs, calls }: { config: Config; jobs: readonly PlannedJob[]; calls: AddedCalls },
  { ledgers, now }: { ledgers: LedgerSource; now: number },
): Promise<WatchPrice> => {
  const spent = await spentOfKeys(lake, config, { ledgers, now });
  const { month } = spentTogether(spent);
  const days = Math.max(1, (month.endsAt - now) / DAY_MS);
  const perDay = (extra: number): number =>
    planMonths(monthsOf(config, withWatches(jobs, lake, config, { now, extra }), spent)).refreshes /
    days;
  const extra = calls.after - calls.before;
  const refreshesPerDay = { before: perDay(0), after: perDay(extra) };
  const videos = refreshedVideos(lake, now);
  const hoursLater =
    videos === 0 || refreshesPerDay.after <= 0
      ? null
      : HOURS_PER_DAY * (videos / refreshesPerDay.after - videos / refreshesPerDay.before);
  return {
    callsPerMonth: calls.after,
    callsBefore: calls.before,
    shareOfMonth: calls.after / month.limit,
    allWatches: Math.ceil(wantedCalls(lake, config, now) + extra),
    mostWatches: Math.floor((month.limit * config.watchShare) / 100),
    refreshesPerDay,
    videos,
    hoursLater,
  };
};
