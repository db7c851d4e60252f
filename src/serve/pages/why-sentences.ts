import type { WhyFactor } from '../../base/wire/analysis-shapes.ts';

/** Weaker findings could be chance. */
export const CLEAR_STRENGTH = 0.005;
/** A sentence needs more than a finding that is only not chance. */
const SHOWN_STRENGTH = 0.1;
const SENTENCES = 3;

const round = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const percent = (value: unknown): string => `${round.format(100 * numberOf(value))} %`;
/** Share of a side of a contrast, such as videos with a question in the title. */
const shareOf = (side: unknown): number => {
  const { successes, trials } = Object(side) as { successes?: unknown; trials?: unknown };
  return numberOf(successes) / Math.max(1, numberOf(trials));
};

/** Rounded, never to all of them. */
const partOf = (share: number, among: string): string =>
  share >= 0.995 ? `nearly all ${among}` : `${percent(share)} of ${among}`;

const moreOrFewer = (thing: string, { evidence }: WhyFactor, among: string): string =>
  evidence.direction === 'against'
    ? `It has fewer ${thing} than ${partOf(1 - numberOf(evidence.shareBelow), among)}.`
    : `It has more ${thing} than ${partOf(numberOf(evidence.shareBelow), among)}.`;

const ofCreator = ({ evidence }: WhyFactor): string => {
  const ratio = numberOf(evidence.ratio);
  const times = (ratio >= 10 ? round : short).format(ratio);
  return ratio < 1
    ? 'It has fewer views than its creator’s videos usually have.'
    : `It has ${times} times the views that its creator’s videos usually have.`;
};

const SENTENCE_OF: Readonly<Record<string, (factor: WhyFactor) => string>> = {
  platform: (factor) => moreOrFewer('views', factor, 'videos of its platform'),
  'age-cohort': (factor) => moreOrFewer('views', factor, 'videos published around the same time'),
  engagement: (factor) => moreOrFewer('likes per view', factor, 'videos of its platform'),
  'creator-median': ofCreator,
  growth: ({ evidence }) =>
    `It is still growing, by ${round.format(numberOf(evidence.viewsPerHour))} views an hour.`,
  forecast: ({ evidence }) =>
    `It is ${percent(evidence.topProbability)} likely to finish in the top 10 % by growth.`,
  'hashtag-rise': ({ finding }) => `${finding.split(' ')[0]} was rising when it was published.`,
};

/** Contrasts begin with the feature: "It asks a question. 12 % of ...". */
const ofFeature = ({ finding, evidence }: WhyFactor): string => {
  const [withIt, without] = [shareOf(evidence.withIt), shareOf(evidence.without)];
  const feature = finding.slice(0, finding.indexOf('. '));
  return `${feature}, and ${percent(withIt)} of such videos reach the top 10 % instead of ${percent(without)}.`;
};

/** The strongest findings in plain words, at most three. */
export const whySentences = (why: readonly WhyFactor[]): string[] => {
  const shown = why.filter(({ strength }) => strength > SHOWN_STRENGTH);
  const hasCohort = shown.some(({ factor }) => factor === 'age-cohort');
  return shown
    .filter(({ factor }) => factor !== 'platform' || !hasCohort) // both compare views
    .slice(0, SENTENCES)
    .map((factor) => (SENTENCE_OF[factor.factor] ?? ofFeature)(factor));
};
