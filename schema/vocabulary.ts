/** The closed sets of words that tables, wire shapes and command line share. */

/** Platforms of the interface, and the prefix that the ids of each carry. */
export const PLATFORM_PREFIXES = { tiktok: 'tt', instagram: 'ig', youtube: 'yt' } as const;
export type Platform = keyof typeof PLATFORM_PREFIXES;
export const PLATFORMS = Object.keys(PLATFORM_PREFIXES) as Platform[];

/** Periods of `GET /trends`, each a rolling window. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/**
 * Where an observation came from: the list, timeline, search or profile that showed it, an import,
 * the list of hashtags; `seen` is a volume that whoever served it counted over the videos it had seen,
 * and not a figure of the platform. Stored as the position in this list (snapshot tables hold
 * millions of rows), so: append only, never reorder.
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

/** How a run ended; `running` while it has not. */
export const RUN_OUTCOMES = ['running', 'complete', 'partial', 'paused', 'failed'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Where one planned request of a run stands. */
export const ITEM_STATES = ['planned', 'done', 'failed', 'skipped'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Every scheduled job, as the settings name it; jobs/all-jobs.ts holds them. */
export const JOB_NAMES = [
  'feed',
  'trends',
  'hashtags',
  'growth',
  'creators',
  'export',
  'publish',
  'prune',
  'backup',
] as const;
export type JobName = (typeof JOB_NAMES)[number];

/** The jobs that ask where it is worth most, with the calls that the others leave. */
export const REFRESH_JOBS = ['growth', 'creators'] as const;
export type RefreshJob = (typeof REFRESH_JOBS)[number];
