import type { WhyFactor } from '../../base/wire/analysis-shapes.ts';
import type { AnalyzedVideo } from './cohorts.ts';
import { hourOf, WEEKDAYS, weekdayOf } from './posting-windows.ts';
import {
  caution,
  cautious,
  countText,
  directionOf,
  percent,
  rounded,
  SMALL_GROUP,
  strengthOf,
} from './statistics.ts';
import { type LabVideo, TITLE_FEATURES } from './title-features.ts';
import { contrast, type RankedVideo } from './top-decile.ts';

const contrastFactor = (
  factor: string,
  says: string,
  videos: readonly RankedVideo[],
  has: (video: LabVideo) => boolean | undefined,
): WhyFactor[] => {
  const { difference, low, high, withIt, without } = contrast(videos, has);
  if (withIt.trials === 0 || without.trials === 0) return [];
  const near = cautious({ low, high }, 0);
  const shares = [withIt, without].map((side) => side.successes / side.trials) as [number, number];
  return [
    {
      factor,
      finding: `It ${says}. ${percent(shares[0])} of ${countText(withIt.trials)} such videos reach the top 10 % by views, compared with ${percent(shares[1])} of the other ${countText(without.trials)} (difference ${rounded(100 * difference, 1)} points, 99 % interval ${rounded(100 * low, 1)} to ${rounded(100 * high, 1)}).${caution(withIt.trials)}`,
      strength: strengthOf(Math.abs(near) * 2),
      evidence: {
        groupSize: withIt.trials + without.trials,
        withIt,
        without,
        smallGroup: withIt.trials < SMALL_GROUP,
        difference: rounded(difference, 4),
        interval: [rounded(low, 4), rounded(high, 4)],
        confidence: 0.99,
        direction: directionOf({ low, high }, 0),
      },
    },
  ];
};

/** 0 to 12, across midnight. */
const hoursApart = (a: number, b: number): number => Math.min((a - b + 24) % 24, (b - a + 24) % 24);

/** The weekday, and the hour with the one before and after. */
export const timeFactors = (
  subject: AnalyzedVideo,
  videos: readonly RankedVideo[],
): WhyFactor[] => {
  const { createdAt } = subject;
  if (createdAt === null) return [];
  const hour = hourOf(createdAt);
  const weekday = weekdayOf(createdAt);
  const factor = (name: string, when: string, test: (at: number) => boolean): WhyFactor[] =>
    contrastFactor(name, `was published ${when}`, videos, (video) =>
      video.createdAt === null ? undefined : test(video.createdAt),
    );
  const hours = `between ${(hour + 23) % 24}:00 and ${(hour + 2) % 24}:00 UTC`;
  return [
    ...factor('hour', hours, (at) => hoursApart(hourOf(at), hour) <= 1),
    ...factor('weekday', `on a ${WEEKDAYS[weekday]} (UTC)`, (at) => weekdayOf(at) === weekday),
  ];
};

const FEATURE_FACTORS_MOST = 4;

/** Features of title and length, strongest first. */
export const featureFactors = (
  subject: AnalyzedVideo,
  videos: readonly RankedVideo[],
): WhyFactor[] =>
  TITLE_FEATURES.filter((feature) => feature.of(subject) === true)
    .flatMap((feature) =>
      contrastFactor(
        `${feature.part === 'format' ? 'format' : 'title'}-${feature.id}`,
        feature.says,
        videos,
        feature.of,
      ),
    )
    .sort((a, b) => b.strength - a.strength)
    .slice(0, FEATURE_FACTORS_MOST);
