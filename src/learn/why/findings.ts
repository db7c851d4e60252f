import type { Analysis, WhyFactor } from '../../base/wire/analysis-shapes.ts';
import type { Lake } from '../../lake/open.ts';
import { growthCurveOf } from '../../lake/read/growth-curve.ts';
import { timeline } from '../../lake/read/timeline.ts';
import { forecastAt } from '../forecast/read.ts';
import { type AlikeVideos, alikeOf } from './alike.ts';
import {
  type AnalyzedVideo,
  ageGroup,
  cohortSpanMs,
  creatorGroup,
  genericTest,
  nicheGroup,
  platformGroup,
  risingTags,
  subjectTags,
} from './cohorts.ts';
import { featureFactors, timeFactors } from './contrast-factors.ts';
import {
  ageFactor,
  creatorFactor,
  engagementFactor,
  forecastFactor,
  growthFactor,
  hashtagFactor,
  platformFactor,
} from './factors.ts';
import { nicheTagsOf, recipeOf } from './recipe.ts';
import { countText } from './statistics.ts';
import { markTopDecile } from './top-decile.ts';

/** All evidence for an analysis. A model may reword it. */
export interface Findings {
  readonly subject: AnalyzedVideo;
  readonly summary: string;
  readonly why: readonly WhyFactor[];
  readonly recipe: Analysis['recipe'];
  /** Titles of the most viewed videos of the niche: untrusted text. */
  readonly examples: readonly string[];
  readonly alike: AlikeVideos;
}

/** With fewer videos than this, the platform's sample replaces the niche. */
const NICHE_LEAST = 60;
const EXAMPLES_MOST = 8;

const summaryOf = (subject: AnalyzedVideo, why: readonly WhyFactor[]): string => {
  if (subject.views === 0)
    return 'Its view count is not known yet, so it cannot be compared with other videos. The recipe comes from similar videos.';
  const cohort =
    why.find(({ factor }) => factor === 'age-cohort') ??
    why.find(({ factor }) => factor === 'platform');
  if (cohort === undefined)
    return `It has ${countText(subject.views)} views. The lake has no videos to compare it with.`;
  const reach =
    cohort.evidence.direction === 'for'
      ? 'It does better than most'
      : cohort.evidence.direction === 'against'
        ? 'It does worse than most and is not viral'
        : 'It does about as well as others';
  const clear = why.filter(({ strength, factor }) => strength > 0.1 && factor !== cohort.factor);
  const most = (['for', 'against'] as const).flatMap((direction) => {
    const strongest = clear.filter(({ evidence }) => evidence.direction === direction).slice(0, 3);
    const named = strongest.map(({ factor, strength }) => `${factor} (${strength.toFixed(2)})`);
    if (named.length === 0) return [];
    return [`Strongest evidence ${direction} it: ${named.join(', ')}.`];
  });
  const rest = most.length === 0 ? 'No other factor has clear evidence.' : most.join(' ');
  return `${reach}. ${cohort.finding} ${rest}`;
};

const NAMES_MOST = 5;
const LONGEST_NAME = 50;
const namesOf = (tags: readonly string[]): string => {
  const named = tags.slice(-NAMES_MOST).map((tag) => `#${tag.slice(0, LONGEST_NAME)}`);
  return tags.length > NAMES_MOST
    ? `${named.join(', ')} and ${tags.length - NAMES_MOST} more`
    : named.join(', ');
};

export const findingsOf = (lake: Lake, subject: AnalyzedVideo, asOf: number): Findings => {
  const tags = subjectTags(lake, subject);
  const platform = platformGroup(lake, subject, asOf);
  const niche = nicheGroup(lake, subject, tags, asOf);
  const isNiche = niche.videos.length >= NICHE_LEAST;
  const ranked = markTopDecile(isNiche ? niche.videos : platform.videos);
  const compared =
    subject.views === 0
      ? []
      : [
          ...platformFactor(subject, platform),
          ...ageFactor(subject, ageGroup(lake, subject, asOf), cohortSpanMs(subject, asOf)),
          ...creatorFactor(subject, creatorGroup(lake, subject, asOf)),
          ...engagementFactor(subject, platform),
          ...growthFactor(growthCurveOf(timeline(lake, subject.key, asOf)), asOf),
        ];
  const why = [
    ...compared,
    ...forecastFactor(forecastAt(lake.sqlite, subject.key, asOf)),
    ...hashtagFactor(risingTags(lake, subject, tags, asOf)),
    ...timeFactors(subject, markTopDecile(platform.videos)),
    ...featureFactors(subject, ranked),
  ].sort((a, b) => b.strength - a.strength);
  const group = isNiche ? `the niche of ${namesOf(niche.tags)}` : `all of ${subject.platform}`;
  const isGeneric = genericTest(lake, subject.platform);
  const own = tags.filter(({ key }) => !isGeneric(key)).map(({ tag }) => tag);
  const examples = ranked
    .filter((video) => video.top && video.title !== null)
    .sort((a, b) => b.views - a.views)
    .slice(0, EXAMPLES_MOST)
    .map((video) => video.title ?? '');
  return {
    subject,
    summary: summaryOf(subject, why),
    why,
    recipe: recipeOf(ranked, isNiche ? nicheTagsOf(lake, ranked, subject, tags) : [], group, own),
    examples,
    alike: alikeOf(subject, niche),
  };
};
