import { DAY_MS } from '../../base/durations.ts';
import { episodes, type Finding, toThousandths, type Window } from './event.ts';
import type { TopEvidence, UsualEvidence, VideoEvidence } from './evidence.ts';
import type { CreatorThresholds } from './thresholds.ts';
import { median, type Snapshot } from './timeline.ts';

/** With fewer other videos than this, the cohort of the platform is used instead. */
const MIN_OTHERS = 5;
/** A smaller cohort is not used. */
const MIN_COHORT = 50;
const QUIET_MS = 14 * DAY_MS;
/** An older video that drifts past the bar has not just gone viral. */
export const YOUNG_MS = 30 * DAY_MS;
/** A list watched for less does not show who is usually at its top. */
const WATCHED_MS = 7 * DAY_MS;

/** Read before a span, beside the last snapshot of each video before it. */
export const CREATOR_LOOKBACK_MS = QUIET_MS;

/** One of the creator's videos; snapshots oldest first. */
export interface CreatorVideo {
  readonly id: string;
  readonly createdAt: number | null;
  readonly snapshots: readonly Snapshot[];
}

/** The videos of a platform seen on the UTC day before an instant (its first 20,000 snapshots). */
export interface PlatformDay {
  readonly videos: number;
  /** Views that one in a hundred of them reached. */
  readonly views99: number;
}

/** A creator's first entry among the top ranks of any pulled list of the platform. */
export interface TopEntry {
  readonly at: number;
  readonly watchedSince: number; // since when that list was pulled without a gap of days
  readonly list: string;
  readonly rank: number;
  readonly videoId: string;
}

export interface CreatorPast {
  readonly videos: readonly CreatorVideo[];
  readonly firstTop: TopEntry | undefined;
  /** The cohort before an instant. */
  cohortAt(at: number): PlatformDay | undefined;
}

interface Bar {
  readonly views: number;
  readonly evidence: UsualEvidence;
}

/** Views far above the usual level of this creator, or else of the platform. */
const barAt = (
  others: readonly number[],
  at: number,
  past: CreatorPast,
  limits: CreatorThresholds,
): Bar | undefined => {
  if (others.length >= MIN_OTHERS) {
    const middle = median(others) as number;
    return {
      views: Math.max(limits.minViews, middle * limits.minTimesMedian),
      evidence: { median: middle, videos: others.length },
    };
  }
  const cohort = past.cohortAt(at);
  if (cohort === undefined || cohort.videos < MIN_COHORT) return undefined;
  return {
    views: Math.max(limits.minViews, cohort.views99),
    evidence: { cohortViews99: cohort.views99, cohortVideos: cohort.videos },
  };
};

const crossings = (past: CreatorPast, since: number, limits: CreatorThresholds): Finding[] => {
  const snapshots = past.videos
    .flatMap(({ id, createdAt, snapshots: its }) =>
      its.map((snapshot) => ({ id, createdAt, ...snapshot })),
    )
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const latest = new Map<string, { at: number; views: number }>();
  const findings: Finding[] = [];
  for (const { id, createdAt, at, views, source } of snapshots) {
    if (views === null || views <= 0) continue;
    const before = latest.get(id);
    latest.set(id, { at, views });
    if (before === undefined || at <= since || views < limits.minViews || views <= before.views)
      continue;
    if (createdAt !== null && at - createdAt > YOUNG_MS) continue;
    const others = [...latest].flatMap(([other, { views: its }]) => (other === id ? [] : [its]));
    const bar = barAt(others, at, past, limits);
    if (bar === undefined || views < bar.views || before.views >= bar.views) continue;
    findings.push({
      window: { from: before.at, to: at },
      evidence: {
        reason: 'video',
        video: id,
        views,
        viewsBefore: before.views,
        bar: toThousandths(bar.views),
        ...bar.evidence,
        ...('median' in bar.evidence && bar.evidence.median > 0
          ? { timesMedian: toThousandths(views / bar.evidence.median) }
          : {}),
        source: source ?? null,
      } satisfies VideoEvidence,
    });
  }
  return findings;
};

const entry = ({ firstTop }: CreatorPast, limits: CreatorThresholds): Finding[] => {
  if (firstTop === undefined || firstTop.at - firstTop.watchedSince < WATCHED_MS) return [];
  const { at, watchedSince, list, rank, videoId } = firstTop;
  return [
    {
      window: { from: watchedSince, to: at },
      evidence: {
        reason: 'top',
        video: videoId,
        list,
        rank,
        topRank: limits.topRank,
        watchedDays: toThousandths((at - watchedSince) / DAY_MS),
      } satisfies TopEvidence,
    },
  ];
};

/**
 * `creator.viral`: a creator's video far outruns that creator's own median, or the creator enters
 * the top of a platform for the first time.
 *
 * - video: its views pass the bar between two snapshots, in its first 30 days, where bar = max(`minViews`, `minTimesMedian` x
 *   the median of the latest counts of the creator's other videos). With fewer than 5 other videos
 *   the bar is max(`minViews`, what one in a hundred of the platform's videos seen on the UTC day
 *   before had), and 50 such videos are needed. A video first seen above the bar is a baseline.
 * - top: the first entry at `topRank` or better in a pulled list, once that list has been watched
 *   for 7 days without a gap of 3.
 *
 * After an event, the next one needs 14 days without one.
 *
 * @param past snapshots from CREATOR_LOOKBACK_MS before `span`, and of each video the last before that
 */
export const creatorVirals = (
  past: CreatorPast,
  span: Window,
  limits: CreatorThresholds,
): Finding[] => {
  const findings = [...crossings(past, span.from - QUIET_MS, limits), ...entry(past, limits)].sort(
    (a, b) => a.window.to - b.window.to,
  );
  return episodes(findings, span, QUIET_MS);
};
