import type { Config } from '../../base/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/durations.ts';
import { minuteOf } from '../../base/iso.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { callsEach, callsInMonth, PRICED_MS } from '../../lake/watches/watch-calls.ts';
import {
  endWatches,
  listWatches,
  searchWords,
  serveSeenVideos,
  videosOfProfile,
  type Watch,
} from '../../lake/watches/watches.ts';
import type { UpstreamRequest } from '../../upstream/request.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { firstPage } from './first-page.ts';
import type { PlannedItem } from './job.ts';
import { cronOfJob, type PlannedJob } from './month-plan.ts';

/** The job runs hourly. What becomes due within half an hour is requested now rather than late. */
const EARLY_MS = 30 * MINUTE_MS;
/** A watch is late once it missed a run of the job. */
const LATE_MS = HOUR_MS + EARLY_MS;

/** Calls per 30 days that all active watches want. */
export const wantedCalls = (lake: Pick<Lake, 'sqlite'>, config: Config, now: number): number =>
  listWatches(lake, { activeAt: now }).reduce((sum, watch) => sum + callsInMonth(watch, config), 0);

/**
 * The jobs, with the expected calls of the job `watch` where the lake is known: at most its share.
 * @param extra calls per 30 days of watches that are not saved yet
 */
export const withWatches = (
  jobs: readonly PlannedJob[],
  lake: Pick<Lake, 'sqlite'> | undefined,
  config: Config,
  { now, extra = 0 }: { readonly now: number; readonly extra?: number },
): PlannedJob[] =>
  jobs.map((job) => {
    if (job.stage !== 'watches' || lake === undefined) return job;
    const runs = cronOfJob(job, config)?.slots(now, now + PRICED_MS).length ?? 0;
    const share = (config.callsPerMonth * config.watchShare) / 100;
    const calls = Math.min(share, wantedCalls(lake, config, now) + extra);
    return { ...job, expectedCalls: runs === 0 ? 0 : calls / runs };
  });

/**
 * Calls that watches may make now. Their share of the month is released evenly over the month, with a
 * day in advance, so that a share that is too small makes all watches late by a little instead of
 * stopping them for the last week.
 */
export const watchAllowance = (
  { sqlite }: Pick<Lake, 'sqlite'>,
  { watchShare }: Config,
  { month, now }: { readonly month: MonthState; readonly now: number },
): number => {
  const spent = required(
    prepare(
      sqlite,
      "select coalesce(sum(sent), 0) from calls where job = 'watch' and sent_at >= ?",
      'number',
    ).get(month.startsAt),
  );
  const elapsed = (now + DAY_MS - month.startsAt) / (month.endsAt - month.startsAt);
  const released = Math.floor(((month.limit * watchShare) / 100) * Math.min(1, elapsed));
  return Math.max(0, Math.min(released - spent, month.remaining));
};

const requestOf = (
  { kind, platform, subject }: Watch,
  config: Config,
): UpstreamRequest | undefined => {
  const q = searchWords({ kind, subject });
  if (q !== undefined)
    return {
      kind: 'search',
      q,
      ...(platform === null ? {} : { platform }),
      ...firstPage(config),
    };
  if (platform === null) return undefined;
  return kind === 'creator'
    ? { kind: 'creator', platform, handle: subject }
    : { kind: 'growth', id: subject, platform };
};

/** Pauses the watches of a request for something that the service does not have. */
export const endWatchesOf = (
  lake: Lake,
  request: UpstreamRequest,
  { at, reason }: { readonly at: number; readonly reason: string },
): void => {
  if (request.kind === 'growth') {
    const { platform, id: subject } = request;
    endWatches(lake, { kind: 'video', platform, subject }, { at, reason });
  } else if (request.kind === 'creator') {
    const { platform, handle } = request;
    endWatches(lake, { kind: 'creator', platform, subject: foldHandle(handle) }, { at, reason });
  }
};

/** A watch that missed its due time, and why. */
export interface LateWatch {
  readonly watch: Watch;
  readonly why: string;
}

/** Active watches that are late at `now` (Unix ms), longest first. Only reads. */
export const lateWatches = (
  lake: Pick<Lake, 'sqlite'>,
  config: Config,
  { month, now }: { readonly month: MonthState; readonly now: number },
): LateWatch[] => {
  const late = listWatches(lake, { activeAt: now }).filter(({ nextAt }) => nextAt < now - LATE_MS);
  if (late.length === 0) return [];
  const plannedAt = prepare(
    lake.sqlite,
    `select max(started_at) from runs where exists (select 1 from json_each(jobs) where value = 'watch')`,
    'number?',
  ).get();
  const allowed = watchAllowance(lake, config, { month, now });
  const why =
    (plannedAt ?? 0) < now - 2 * LATE_MS
      ? `the job watch has not run${plannedAt === null || plannedAt === undefined ? '' : ` since ${minuteOf(plannedAt)}`}`
      : month.remaining === 0
        ? "the month's calls are spent"
        : allowed === 0
          ? `watches have used their ${config.watchShare} % of the month so far`
          : 'the last request failed';
  return late.sort((a, b) => a.nextAt - b.nextAt).map((watch) => ({ watch, why }));
};

/** By due hour, then by importance: more tags first, then the shorter cadence. */
const byDueTime = (a: Watch, b: Watch): number =>
  Math.floor(a.nextAt / HOUR_MS) - Math.floor(b.nextAt / HOUR_MS) ||
  b.tags.length - a.tags.length ||
  a.everyMs - b.everyMs ||
  (a.id < b.id ? -1 : 1);

/**
 * Requests of due watches, as many as `calls` allow. Videos that a list or profile has just shown are
 * not requested, nor those that a profile in this plan will show.
 */
export const planWatches = (
  lake: Lake,
  config: Config,
  { now, calls }: { readonly now: number; readonly calls: number },
): PlannedItem[] => {
  serveSeenVideos(lake);
  const due = listWatches(lake, { activeAt: now })
    .filter(({ nextAt }) => nextAt <= now + EARLY_MS)
    .filter(({ platform }) => platform === null || config.platforms.includes(platform))
    .sort(byDueTime);
  const shown = new Set(
    due.filter(({ kind }) => kind === 'creator').flatMap((watch) => videosOfProfile(lake, watch)),
  );
  const items: PlannedItem[] = [];
  let left = calls;
  for (const watch of due) {
    if (watch.kind === 'video' && shown.has(watch.subject)) continue;
    const price = callsEach(watch, config);
    const request = requestOf(watch, config);
    if (request === undefined || price > left) continue;
    left -= price;
    items.push({ request, reason: { rule: 'watch', watch: watch.id, dueAt: watch.nextAt } });
  }
  return items;
};
