import { DAY_MS } from '../../base/durations.ts';
import { isoOf, minuteOf } from '../../base/iso.ts';
import type { WhyFactor } from '../../base/wire/analysis-shapes.ts';
import type { GrowthCurve } from '../../base/wire/shapes.ts';
import type { KeptForecast } from '../forecast/shapes.ts';
import type { AnalyzedVideo, Group, TagRise } from './cohorts.ts';
import {
  ascending,
  caution,
  countText,
  directionOf,
  type Interval,
  independentShare,
  medianInterval,
  percent,
  rankIn,
  rounded,
  SMALL_GROUP,
  shareInterval,
  strengthOf,
  strengthOfRank,
  strengthOfRatio,
  Z_99,
} from './statistics.ts';
import type { LabVideo } from './title-features.ts';

// Each function returns at most one factor.

const sizeOf = (groupSize: number, sampled: boolean) => ({
  groupSize,
  sampled,
  smallGroup: groupSize < SMALL_GROUP,
});

/** A number of the video to compare with the same number of others. */
interface Comparison {
  readonly factor: string;
  readonly value: number;
  readonly valueText: string;
  readonly groupText: string;
  readonly measure: (video: LabVideo) => number | undefined;
}

const rankFactor = (
  group: Group,
  { factor, value, valueText, groupText, measure }: Comparison,
): WhyFactor[] => {
  const measured = group.videos.filter((video) => measure(video) !== undefined);
  const others = ascending(measured.map((video) => measure(video) ?? 0));
  if (others.length === 0) return [];
  const rank = rankIn(others, value, independentShare(measured));
  const interval = `95 % interval ${percent(rank.low)} to ${percent(rank.high)}`;
  return [
    {
      factor,
      finding: `With ${valueText} it is above ${percent(rank.share)} of ${countText(others.length)} ${groupText} (${interval}).${caution(others.length)}`,
      strength: strengthOfRank(rank),
      evidence: {
        ...sizeOf(others.length, group.sampled),
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

const viewsCompared = ({ views }: AnalyzedVideo) => ({
  value: views,
  valueText: `${countText(views)} views`,
  measure: viewsOf,
});

export const platformFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] =>
  rankFactor(group, {
    factor: 'platform',
    ...viewsCompared(subject),
    groupText: `videos of ${subject.platform}`,
  });

export const ageFactor = (subject: AnalyzedVideo, group: Group, spanMs: number): WhyFactor[] =>
  rankFactor(group, {
    factor: 'age-cohort',
    ...viewsCompared(subject),
    groupText: `videos published within ${rounded(spanMs / DAY_MS, 1)} days of it`,
  });

export const engagementFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] => {
  const rate = likeRateOf(subject);
  if (rate === undefined) return [];
  return rankFactor(group, {
    factor: 'engagement',
    value: rate,
    valueText: `${rounded(rate)} likes per 100 views`,
    groupText: `videos of ${subject.platform} with known likes`,
    measure: likeRateOf,
  });
};

/** Compares with the median of its creator's other videos. */
export const creatorFactor = (subject: AnalyzedVideo, group: Group): WhyFactor[] => {
  const others = ascending(group.videos.map(viewsOf));
  if (others.length === 0) return [];
  const { median, low, high } = medianInterval(others);
  const ratio = { low: subject.views / high, high: subject.views / low };
  const times = rounded(subject.views / median, 1);
  // The median of fewer than 6 videos is weak evidence.
  const trust = Math.min(1, others.length / 6);
  return [
    {
      factor: 'creator-median',
      finding: `It has ${times} times the median views of ${others.length} other videos of its creator (95 % interval ${rounded(ratio.low, 1)} to ${rounded(ratio.high, 1)}).${caution(others.length)}`,
      strength: strengthOf(trust * strengthOfRatio(ratio)),
      evidence: {
        ...sizeOf(group.videos.length, group.sampled),
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

/** Ratio of a tag's two shares, with its conditional Wilson interval. */
const riseOf = (rise: TagRise): Interval & { ratio: number | null } => {
  const { low, high } = shareInterval(rise.after, rise.after + rise.before, Z_99);
  const exposure = rise.afterOf === 0 || rise.beforeOf === 0 ? 1 : rise.beforeOf / rise.afterOf;
  const odds = (share: number): number => (share / Math.max(1e-9, 1 - share)) * exposure;
  const ratio = rise.before === 0 ? null : rounded((rise.after / rise.before) * exposure);
  return { ratio, low: odds(low), high: odds(high) };
};

/** Names the hashtag with the clearest rise. The evidence has all of them. */
export const hashtagFactor = (rises: readonly TagRise[]): WhyFactor[] => {
  const seen = rises
    .filter((rise) => rise.before + rise.after > 0)
    .map((rise) => ({ ...rise, ...riseOf(rise) }))
    .sort((a, b) => b.low - a.low);
  const best = seen[0];
  if (best === undefined) return [];
  const upTo = best.before === 0 ? 'or more' : `to ${rounded(best.high, 1)}`;
  const change =
    best.ratio === null ? 'was new' : `was used by ${best.ratio} times the share of videos`;
  const uses = best.before + best.after;
  return [
    {
      factor: 'hashtag-rise',
      finding: `#${best.tag} ${change} in the week around publishing: ${best.after} of ${countText(best.afterOf)}, compared with ${best.before} of ${countText(best.beforeOf)} the week before (99 % interval ${rounded(best.low, 1)} ${upTo} times).${caution(uses)}`,
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

/** Growth of its views: the shorter they take to double, the stronger. */
export const growthFactor = (curve: GrowthCurve, asOf: number): WhyFactor[] => {
  if (curve.phase === 'unknown' || curve.peak === null) return [];
  const { phase, peak, doublingHours, points } = curve;
  const last = points.at(-1);
  const now = last?.viewsPerHour ?? 0;
  const countedAt = last === undefined ? 'an unknown instant' : minuteOf(Date.parse(last.at));
  const doubles =
    doublingHours === null
      ? 'Its views no longer double.'
      : `Its newest growth rate doubles the views in ${rounded(doublingHours, 1)} hours.`;
  const isGrowing = phase === 'rising' || phase === 'peaking';
  return [
    {
      factor: 'growth',
      finding: `Its growth is ${phase}: ${countText(now)} views per hour before its last count (${countedAt}), ${countText(peak.viewsPerHour)} at its peak (${points.length} snapshots). ${doubles}${points.length < 6 ? ' With so few snapshots this is only a hint.' : ''}`,
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

/** A video is on top one time in ten. */
const USUAL = 0.1;

export const forecastFactor = (forecast: KeptForecast | undefined): WhyFactor[] => {
  if (forecast === undefined) return [];
  const { topProbability, madeAt, samples, horizons } = forecast;
  const day = horizons.find(({ hours, median }) => hours === 24 && median !== null);
  const ahead =
    day === undefined
      ? ''
      : ` Expected a day later: ${countText(day.median ?? 0)} views (80 % interval ${countText(day.low ?? 0)} to ${countText(day.high ?? 0)}).`;
  return [
    {
      factor: 'forecast',
      finding: `It is ${Math.round(100 * topProbability)} % likely to finish in the top 10 % of its cohort by growth, based on ${countText(samples)} videos.${ahead}`,
      strength: topProbability > USUAL ? strengthOf((topProbability - USUAL) / (1 - USUAL)) : 0,
      evidence: {
        groupSize: samples,
        topProbability,
        madeAt: isoOf(madeAt),
        horizons,
        direction: topProbability >= 0.5 ? 'for' : 'unclear',
      },
    },
  ];
};
