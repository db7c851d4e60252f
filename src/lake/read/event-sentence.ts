import type { EventKind } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Typed access to evidence. Evidence from the API may have any shape. */
class EvidenceWords {
  readonly #evidence: JsonObject;

  constructor(evidence: JsonObject) {
    this.#evidence = evidence;
  }

  number(name: string): number | undefined {
    const value = this.#evidence[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  text(name: string): string | undefined {
    const value = this.#evidence[name];
    return typeof value === 'string' ? value : undefined;
  }

  count(name: string): string {
    const value = this.number(name);
    return value === undefined ? 'an unknown number of' : whole.format(value);
  }

  times(name: string): string {
    const value = this.number(name);
    return value === undefined ? '' : `${short.format(value)} times`;
  }

  percent(name: string): string {
    const value = this.number(name);
    return value === undefined ? 'an unknown share' : `${short.format(100 * value)} %`;
  }

  list(name: string): string[] {
    const value = this.#evidence[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  }
}

const chanceOf = (evidence: EvidenceWords): string =>
  `${whole.format(100 * (evidence.number('topProbability') ?? 0))} % likely to finish in the top 10 %`;

const expectedViews = (evidence: EvidenceWords): string =>
  [
    evidence.number('views') === undefined ? '' : `${evidence.count('views')} views now`,
    evidence.number('viewsIn24h') === undefined
      ? ''
      : `${evidence.count('viewsIn24h')} expected in 24 h (8 in 10 videos land between ${evidence.count('viewsIn24hLow')} and ${evidence.count('viewsIn24hHigh')})`,
  ]
    .filter((part) => part !== '')
    .join(', ');

const spike = (evidence: EvidenceWords, hours: number | undefined): string => {
  if (evidence.text('rule') === 'forecast') {
    const views = expectedViews(evidence);
    return `${chanceOf(evidence)} (we alert from ${evidence.percent('threshold')})${views === '' ? '' : `, ${views}`}.`;
  }
  const span = hours === undefined ? '' : ` in ${short.format(hours)} h`;
  const age = evidence.number('ageHours');
  const expected =
    (evidence.number('expectedViewsPerHour') ?? 0) < 1
      ? 'where its past pace and age suggest less than one'
      : `${evidence.times('ratio')} the ${evidence.count('expectedViewsPerHour')} expected from its past pace and age`;
  return `It gained ${evidence.count('gain')} views${span}, from ${evidence.count('viewsBefore')} to ${evidence.count('views')}: ${evidence.count('viewsPerHour')} an hour, ${expected}${age === undefined ? '' : `, ${short.format(age)} h after it was published`}.`;
};

const viral = (evidence: EvidenceWords): string => {
  const video = evidence.text('video') ?? 'a video';
  if (evidence.text('reason') === 'top')
    return `${video} is the first to reach rank ${evidence.count('rank')} of ${evidence.text('list') ?? 'a list'}, watched for ${short.format(evidence.number('watchedDays') ?? 0)} days.`;
  const usual =
    evidence.number('median') === undefined
      ? `what one in a hundred of ${evidence.count('cohortVideos')} videos of the platform had (${evidence.count('cohortViews99')})`
      : `${evidence.times('timesMedian')} the median of ${evidence.count('median')} of the creator's other ${evidence.count('videos')} videos`;
  return `${video} rose from ${evidence.count('viewsBefore')} to ${evidence.count('views')} views and passed ${evidence.count('bar')}: ${usual}.`;
};

const rising = (evidence: EvidenceWords): string =>
  evidence.text('measure') === 'views'
    ? `It gained ${evidence.count('gain')} views, ${evidence.count('viewsPerDay')} a day, usually ${evidence.count('usualPerDay')}: ${evidence.times('ratio')} as many, over ${evidence.count('snapshots')} snapshots.`
    : `${evidence.count('volume')} videos use it, usually ${evidence.count('usual')}: ${evidence.times('ratio')} as many, over ${evidence.count('snapshots')} snapshots.`;

const breakout = (evidence: EvidenceWords): string =>
  `${evidence.count('videos')} videos of ${evidence.count('creators')} creators make up ${evidence.percent('share')} of the ${evidence.text('list') ?? 'list'} (${evidence.count('listed')} videos), usually ${evidence.percent('usualShare')}: ${evidence.times('ratio')} as much. Their tags: ${evidence.list('tags').join(', ') || 'unknown'}.`;

const spikeHeadline = (evidence: EvidenceWords, hours: number | undefined): string =>
  evidence.text('rule') === 'forecast'
    ? chanceOf(evidence)
    : `${evidence.count('gain')} views gained${hours === undefined ? '' : ` in ${short.format(hours)} h`}`;

const listName = (list = 'a list'): string =>
  list.replace(/^trends (\w+)$/, 'the trends of the $1').replace(/^feed (\S+)$/, 'the feed of $1');

const viralHeadline = (evidence: EvidenceWords): string => {
  if (evidence.text('reason') === 'top')
    return `First time at rank ${evidence.count('rank')} of ${listName(evidence.text('list'))}`;
  return evidence.number('timesMedian') === undefined
    ? `A video passed ${evidence.count('bar')} views`
    : `A video with ${evidence.times('timesMedian')} the creator's usual views`;
};

interface SentenceRule {
  /** Evidence that the sentence cannot do without. */
  readonly needs: readonly string[];
  readonly headline: (evidence: EvidenceWords, hours: number | undefined) => string;
  readonly sentence: (evidence: EvidenceWords, hours: number | undefined) => string;
}

const SENTENCES: Readonly<Record<EventKind, SentenceRule>> = {
  'trend.spike': { needs: ['rule', 'views'], headline: spikeHeadline, sentence: spike },
  'creator.viral': { needs: ['reason', 'video'], headline: viralHeadline, sentence: viral },
  'hashtag.rising': {
    needs: ['measure', 'ratio'],
    headline: (evidence) =>
      `${evidence.times('ratio')} its usual ${evidence.text('measure') === 'views' ? 'views a day' : 'number of videos'}`,
    sentence: rising,
  },
  'niche.breakout': {
    needs: ['videos', 'share'],
    headline: (evidence) =>
      `${evidence.percent('share')} of a list, usually ${evidence.percent('usualShare')}`,
    sentence: breakout,
  },
};

const inWords = (name: string): string =>
  name.replace(/_/g, ' ').replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Evidence of another shape, such as from the API: names as words, with their values. */
const listedEvidence = (evidence: JsonObject): string =>
  `${Object.entries(evidence)
    .map(
      ([name, value]) =>
        `${inWords(name)} ${typeof value === 'number' ? short.format(value) : String(value)}`,
    )
    .join(', ')}.`;

const hoursIn = (window: JsonObject | undefined): number | undefined => {
  const [from, to] = [window?.from, window?.to].map((at) => Date.parse(String(at)));
  const hours = ((to ?? Number.NaN) - (from ?? Number.NaN)) / 3_600_000;
  return Number.isFinite(hours) && hours > 0 ? hours : undefined;
};

/** Renames evidence of 0.1.0, which had `looks` and did not name the rule of trend.spike. */
export const presentEvidence = ({ looks, ...rest }: JsonObject): JsonObject => ({
  ...('expectedViewsPerHour' in rest ? { rule: 'pace' } : {}),
  ...(looks === undefined ? {} : { snapshots: looks }),
  ...rest,
});

/** An event as sentences. */
export interface EventText {
  /** The main number with its meaning. Undefined for evidence that trendlake does not write. */
  readonly headline?: string;
  /** The reason, in one sentence. */
  readonly sentence: string;
  /** The reason without the headline. */
  readonly detail: string;
}

const wordless = (sentence: string): EventText => ({ sentence, detail: sentence });

/**
 * Describes an event. `data`: column of table `events`. Evidence of a shape that trendlake does not write
 * is listed by name.
 */
export const eventText = (kind: EventKind, data: unknown): EventText => {
  const { evidence, window } = isObject(data) ? data : {};
  if (!isObject(evidence) || Object.keys(evidence).length === 0)
    return wordless('Reported by the API, without numbers.');
  const { needs, headline, sentence } = SENTENCES[kind];
  const named = presentEvidence(evidence);
  const isForecast = kind === 'trend.spike' && named.rule === 'forecast';
  const required = isForecast ? ['topProbability', 'threshold'] : needs;
  if (required.some((name) => named[name] === undefined)) return wordless(listedEvidence(evidence));
  const words = new EvidenceWords(named);
  const hours = hoursIn(isObject(window) ? window : undefined);
  const reason = sentence(words, hours);
  const detail = isForecast
    ? `${expectedViews(words) || 'Views unknown'}. We alert from ${words.percent('threshold')}.`
    : reason;
  return { headline: headline(words, hours), sentence: reason, detail };
};

export const eventSentence = (kind: EventKind, data: unknown): string =>
  eventText(kind, data).sentence;
