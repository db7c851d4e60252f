import { type Platform, sourceCode } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Lake } from '../open.ts';
import type { RowOf } from '../prepare.ts';
import { prepared } from '../statements.ts';

/** Two windows of `windowMs`, one after the other, and the platform whose videos are counted in them. */
export interface TwoWindows {
  readonly platform: Platform | ''; // '' for all
  readonly windowMs: number;
  readonly asOf: number; // Unix ms; where the later one ends
}

/** The instant by which windows that end at `asOf` are judged: an hour's responses agree. */
export const judgedAt = (asOf: number): number => Math.floor(asOf / HOUR_MS) * HOUR_MS;

/** The longest time between two pulls of a list, edges of the windows counted, in mean times between pulls. */
const LONGEST_GAP = 1.5;
/** Shares by which the windows may differ: in pulls of a list, in how deep it was read, in refreshes. */
const PULLS_DIFFER = 0.1;
const DEPTHS_DIFFER = 0.2;
const REFRESHES_DIFFER = 0.25;
/** This many refreshes more or less are no difference. */
const FEW_REFRESHES = 10;

const PULLS = `
  with pull as (
    select key, platform, list, period, captured_at as at,
      captured_at - lag(captured_at, 1, @from) over (
        partition by platform, list, period order by captured_at) as gap
    from capture where captured_at > @from and captured_at <= @to and completed_at is not null
      and list in ('feed', 'trends') and (@platform = '' or platform = @platform)
  ), pulled as (
    select sum(at <= @middle) as before, sum(at > @middle) as after,
      max(max(gap), @to - max(at)) as gap, min(key) as oldest, max(key) as newest
    from pull group by platform, list, period
  )
  select before, after, gap,
    (select coalesce(max(rank), 0) from ranking where capture_key = oldest) as oldestDepth,
    (select coalesce(max(rank), 0) from ranking where capture_key = newest) as newestDepth
  from pulled`;

// job by job: a profile shows tens of videos, a timeline one
const REFRESHES = `
  select sum(sent_at <= @middle) as before, sum(sent_at > @middle) as after
  from calls where job in ('growth', 'creators') and error is null
    and sent_at > @from and sent_at <= @to group by job`;

/** Reads few rows. If it finds an import, all rows of the windows decide. */
const MAYBE_IMPORTED = `
  select exists (select 1 from import_progress where newest_at > @from and oldest_at <= @to)`;
const IMPORTED = `select exists (
  select 1 from video_snapshot indexed by video_snapshot_observed_at
  where observed_at > @from and observed_at <= @to and source = ${sourceCode('import')})`;

const ALIKE = {
  before: 'number',
  after: 'number',
  gap: 'number',
  oldestDepth: 'number',
  newestDepth: 'number',
} as const;

const differ = (a: number, b: number, share: number, few = 0): boolean =>
  Math.abs(a - b) > Math.max(few, share * Math.max(a, b));

const isAlike = (pulls: RowOf<typeof ALIKE>, spanMs: number): boolean => {
  const { before, after, gap, oldestDepth, newestDepth } = pulls;
  return (
    before > 0 &&
    after > 0 &&
    !differ(before, after, PULLS_DIFFER, 1) &&
    gap <= (LONGEST_GAP * spanMs) / (before + after) &&
    !differ(oldestDepth, newestDepth, DEPTHS_DIFFER)
  );
};

/**
 * True if the lake watched two windows in the same way, so that they can be compared: each list was
 * pulled in both, as often, as deep and without a gap; timelines and profiles were refreshed about
 * as often; and no import brought observations into either. False on a lake's first days, after a
 * gap or an import, and while a platform or list is new.
 */
export const watchedAlike = (lake: Lake, { platform, windowMs, asOf }: TwoWindows): boolean => {
  const to = judgedAt(asOf);
  const [middle, from] = [to - windowMs, to - 2 * windowMs];
  const lists = prepared(lake, PULLS, ALIKE).all({ platform, from, middle, to });
  if (lists.length === 0 || !lists.every((pulls) => isAlike(pulls, to - from))) return false;
  const refreshes = prepared(lake, REFRESHES, { before: 'number', after: 'number' });
  for (const { before, after } of refreshes.all({ from, middle, to }))
    if (differ(before, after, REFRESHES_DIFFER, FEW_REFRESHES)) return false;
  return [MAYBE_IMPORTED, IMPORTED].some(
    (sql) => prepared(lake, sql, 'number').get({ from, to }) === 0,
  );
};
