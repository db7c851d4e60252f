import { isoOf } from '../../base/iso.ts';
import type { WhyFactor } from '../../base/wire/analysis-shapes.ts';
import type { GrowthCurve } from '../../base/wire/shapes.ts';
import type { AnalyzedVideo, Group, TagRise } from './cohorts.ts';
import type { LabVideo } from './lab-video.ts';
import {
  ascending,
  countText,
  type Interval,
  medianInterval,
  percent,
  rankIn,
  rounded,
  SMALL_GROUP,
  shareInterval,
  Z_99,
} from './statistics.ts';
import { caution, directionOf, strengthOf, strengthOfRank, strengthOfRatio } from './strength.ts';

// Each function looks at one side of the question and answers with at most one factor.

const sizeOf = ({ videos, sampled }: Group): Record<string, unknown> => ({
  groupSize: videos.length,
  sampled,
  smallGroup: videos.length < SMALL_GROUP,
});
/** A number of the video that is held against the same number of others. */
interface Comparison {
  readonly factor: string;
  readonly value: number;
  /** The value in words. */
  readonly what: string;
  /** The others in words. */
  readonly whom: string;
  /** The same number of another video; undefined where it is not known. */
  readonly of: (video: LabVideo) => number | undefined;
}

/** Where a number of the video stands in a group; nothing without a group. */
const standing = (group: Group, { factor, value, what, whom, of }: Comparison): WhyFactor[] => {
  const others = ascending(group.videos.map(of).filter((other) => other !== undefined));
  if (others.length === 0) return [];
  const rank = rankIn(others, value);
  const interval = `95 % interval ${percent(rank.low)} to ${percent(rank.high)}`;
  return [
    {
      factor,
      finding: `With ${what} it is above ${percent(rank.share)} of ${countText(others.length)} ${whom} (${interval}).${caution(others.length)}`,
      strength: strengthOfRank(rank),
      evidence: {
        ...sizeOf({ ...group, videos: group.videos.filter((video) => of(video) !== undefined) }),
        value: rounded(value),
        groupMedian: rounded(medianInterval(others).median),
        shareBelow: rounded(rank.share, 4),
        interval: [rounded(rank.low, 4), rounded(rank.high, 4)],
        confidence: 0.95,
        direction: directionOf(rank, 0.5),
      },
    },
  ];
};

const viewsOf = (video: LabVideo): number => video.views;
const likeRateOf = ({ likes, views }: LabVideo): number | undefined =>
  likes === null || likes <= 0 || views <= 0 ? undefined : (100 * likes) / views;

export const platformFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] =>
  standing(group, {
    factor: 'platform',
    value: subject.views,
    what: `${countText(subject.views)} views`,
    whom: `videos of ${subject.platform}`,
    of: viewsOf,
  });

export const ageFactor = (subject: AnalyzedVideo, group: Group, spanMs: number): WhyFactor[] => {
  const whom = `videos published within ${rounded(spanMs / 3_600_000 / 24, 1)} days of it`;
  return standing(group, {
    factor: 'age-cohort',
    value: subject.views,
    what: `${countText(subject.views)} views`,
    whom,
    of: viewsOf,
  });
};

export const engagementFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] => {
  const rate = likeRateOf(subject);
  if (rate === undefined) return [];
  const whom = `videos of ${subject.platform} with known likes`;
  return standing(group, {
    factor: 'engagement',
    value: rate,
    what: `${rounded(rate)} likes per 100 views`,
    whom,
    of: likeRateOf,
  });
};

/** The video against the median of its creator's others. */
export const creatorFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] => {
  const others = ascending(group.videos.map(viewsOf));
  if (others.length === 0) return [];
  const { median, low, high } = medianInterval(others);
  const ratio = { low: subject.views / high, high: subject.views / low };
  const times = rounded(subject.views / median, 1);
  // The middle of fewer than six says too little about the next one to be called strong.
  const trust = Math.min(1, others.length / 6);
  return [
    {
      factor: 'creator-median',
      finding: `It has ${times} times the median of ${others.length} other videos of its creator (95 % interval ${rounded(ratio.low, 1)} to ${rounded(ratio.high, 1)}).${caution(others.length)}`,
      strength: strengthOf(trust * strengthOfRatio(ratio)),
      evidence: {
        ...sizeOf(group),
        value: subject.views,
        groupMedian: rounded(median),
        ratio: times,
        interval: [rounded(ratio.low), rounded(ratio.high)],
        confidence: 0.95,
        direction: directionOf(ratio, 1),
      },
    },
  ];
};

/** The ratio of a tag's two shares, with the interval that the counts allow (Wilson, conditional). */
const riseOf = (rise: TagRise): Interval & { ratio: number | null } => {
  const { low, high } = shareInterval(rise.after, rise.after + rise.before, Z_99);
  const exposure = rise.afterOf === 0 || rise.beforeOf === 0 ? 1 : rise.beforeOf / rise.afterOf;
  const odds = (share: number): number => (share / Math.max(1e-9, 1 - share)) * exposure;
  const ratio = rise.before === 0 ? null : rounded((rise.after / rise.before) * exposure);
  return { ratio, low: odds(low), high: odds(high) };
};

/** The hashtag whose share of the platform rose most surely around publishing, and all the others. */
export const hashtagFactor = (rises: readonly TagRise[]): WhyFactor[] => {
  const seen = rises
    .filter((rise) => rise.before + rise.after > 0)
    .map((rise) => ({ ...rise, ...riseOf(rise) }))
    .sort((a, b) => b.low - a.low);
  const best = seen[0];
  if (best === undefined) return [];
  const upTo = best.before === 0 ? 'or more' : `to ${rounded(best.high, 1)}`;
  const change =
    best.ratio === null ? 'came up new' : `stood on ${best.ratio} times the share of videos`;
  const uses = best.before + best.after;
  return [
    {
      factor: 'hashtag-rise',
      finding: `#${best.tag} ${change} in the week around its publishing: ${best.after} of ${countText(best.afterOf)}, the week before ${best.before} of ${countText(best.beforeOf)} (99 % interval ${rounded(best.low, 1)} ${upTo} times).${caution(uses)}`,
      strength: best.low > 1 ? strengthOfRatio(best) : 0,
      evidence: {
        groupSize: best.beforeOf + best.afterOf,
        uses,
        smallGroup: uses < SMALL_GROUP,
        tags: seen.map(({ tag, before, beforeOf, after, afterOf, ratio, low, high }) => ({
          tag,
          before,
          beforeOf,
          after,
          afterOf,
          ratio,
          interval: [rounded(low), before === 0 ? null : rounded(high)], // null: no upper end
        })),
        confidence: 0.99,
        direction: best.low > 1 ? 'for' : 'unclear',
      },
    },
  ];
};

/** How its own views grow; stronger the shorter they take to double. */
export const growthFactor = (curve: GrowthCurve, asOf: number): WhyFactor[] => {
  if (curve.phase === 'unknown' || curve.peak === null) return [];
  const { phase, peak, doublingHours, points } = curve;
  const now = points.at(-1)?.viewsPerHour ?? 0;
  const doubles =
    doublingHours === null
      ? 'it no longer doubles'
      : `it would double in ${rounded(doublingHours, 1)} hours`;
  const isGrowing = phase === 'rising' || phase === 'peaking';
  return [
    {
      factor: 'growth',
      finding: `Its growth is ${phase}: ${countText(now)} views per hour now, ${countText(peak.viewsPerHour)} at its peak; at this pace ${doubles} (${points.length} snapshots).${points.length < 6 ? ' Few snapshots: take it as a hint.' : ''}`,
      strength: isGrowing && doublingHours !== null ? strengthOf(24 / (24 + doublingHours)) : 0,
      evidence: {
        groupSize: points.length,
        smallGroup: points.length < 6,
        phase,
        viewsPerHour: now,
        peakViewsPerHour: peak.viewsPerHour,
        peakAt: peak.at,
        doublingHours,
        asOf: isoOf(asOf),
        direction: isGrowing ? 'for' : 'unclear',
      },
    },
  ];
};
