/** Fixed sets of words used by tables, API shapes and the command line. */

/** Platforms with the prefix of their ids. */
export const PLATFORM_PREFIXES = { tiktok: 'tt', instagram: 'ig', youtube: 'yt' } as const;
export type Platform = keyof typeof PLATFORM_PREFIXES;
export const PLATFORMS = Object.keys(PLATFORM_PREFIXES) as Platform[];

/** Periods of `GET /trends`: rolling windows. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/**
 * Sources of an observation. `seen` is a volume that a service counted over the videos it had seen; it is
 * not a figure of the platform. Rows store the position in this list to save space in tables with millions
 * of rows, so append only and never reorder.
 */
export const SOURCES = [
  'feed',
  'trends',
  'growth',
  'search',
  'creator',
  'import',
  'hashtags',
  'seen',
] as const;
export type Source = (typeof SOURCES)[number];

/** The code under which a source is stored. */
export const sourceCode = (source: Source): number => SOURCES.indexOf(source);

/** The four kinds of events of the interface. */
export const EVENT_KINDS = [
  'trend.spike',
  'creator.viral',
  'hashtag.rising',
  'niche.breakout',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Outcomes of a run; `running` until it ends. */
export const RUN_OUTCOMES = ['running', 'complete', 'partial', 'paused', 'failed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** States of a planned request of a run. */
export const ITEM_STATES = ['planned', 'done', 'failed', 'skipped'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Names of the scheduled jobs in jobs/all-jobs.ts, as used in the settings. */
export const JOB_NAMES = [
  'feed',
  'trends',
  'hashtags',
  'watch',
  'growth',
  'creators',
  'export',
  'publish',
  'keep',
  'prune',
  'backup',
  'report',
] as const;
export type JobName = (typeof JOB_NAMES)[number];

/** Jobs whose calls the budget selects. They spend what the lists and the reserve leave. */
export const REFRESH_JOBS = ['growth', 'creators'] as const;
export type RefreshJob = (typeof REFRESH_JOBS)[number];

/** Kinds of watches. */
export const WATCH_KINDS = ['creator', 'video', 'hashtag', 'search'] as const;
export type WatchKind = (typeof WATCH_KINDS)[number];

/** View counts for which each video's time from publication is computed. */
export const VIEW_MILESTONES = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000] as const;
