import type { EventKind } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Evidence read by name: what an upstream sent may hold anything. */
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

const spike = (told: EvidenceWords, hours: number | undefined): string => {
  if (told.text('rule') === 'forecast') {
    const chance = `${whole.format(100 * (told.number('topProbability') ?? 0))} % likely to finish in the top 10 % (we alert from ${told.percent('threshold')})`;
    const now = told.number('views') === undefined ? '' : `, ${told.count('views')} views now`;
    return told.number('viewsIn24h') === undefined
      ? `${chance}${now}.`
      : `${chance}${now}, ${told.count('viewsIn24h')} expected in 24 h (8 in 10 videos land between ${told.count('viewsIn24hLow')} and ${told.count('viewsIn24hHigh')}).`;
  }
  const span = hours === undefined ? '' : ` in ${short.format(hours)} h`;
  const age = told.number('ageHours');
  const expected =
    (told.number('expectedViewsPerHour') ?? 0) < 1
      ? 'where its own pace and age lead one to expect less than one'
      : `${told.times('ratio')} the ${told.count('expectedViewsPerHour')} that its own pace and age lead one to expect`;
  return `It gained ${told.count('gain')} views${span}, from ${told.count('viewsBefore')} to ${told.count('views')}: ${told.count('viewsPerHour')} an hour, ${expected}${age === undefined ? '' : `, ${short.format(age)} h after it was published`}.`;
};

const viral = (told: EvidenceWords): string => {
  const video = told.text('video') ?? 'a video';
  if (told.text('reason') === 'top')
    return `${video} is the first to reach rank ${told.count('rank')} of ${told.text('list') ?? 'a list'}, watched for ${short.format(told.number('watchedDays') ?? 0)} days.`;
  const usual =
    told.number('median') === undefined
      ? `what one in a hundred of ${told.count('cohortVideos')} videos of the platform had (${told.count('cohortViews99')})`
      : `${told.times('timesMedian')} the median of ${told.count('median')} of the creator's other ${told.count('videos')} videos`;
  return `${video} rose from ${told.count('viewsBefore')} to ${told.count('views')} views and passed ${told.count('bar')}: ${usual}.`;
};

const rising = (told: EvidenceWords): string =>
  told.text('measure') === 'views'
    ? `It gained ${told.count('gain')} views, ${told.count('viewsPerDay')} a day against the usual ${told.count('usualPerDay')}: ${told.times('ratio')} as many, over ${told.count('snapshots')} snapshots.`
    : `${told.count('volume')} videos carry it against the usual ${told.count('usual')}: ${told.times('ratio')} as many, over ${told.count('snapshots')} snapshots.`;

const breakout = (told: EvidenceWords): string =>
  `${told.count('videos')} videos of ${told.count('creators')} creators make ${told.percent('share')} of the ${told.text('list') ?? 'list'} (${told.count('listed')} videos), usually ${told.percent('usualShare')}: ${told.times('ratio')} as much. Their tags: ${told.list('tags').join(', ') || 'not told'}.`;

/** How a kind is told, and what of its evidence must be there for that. */
interface Told {
  readonly needs: readonly string[];
  readonly sentence: (told: EvidenceWords, hours: number | undefined) => string;
}

const SENTENCES: Readonly<Record<EventKind, Told>> = {
  'trend.spike': { needs: ['rule', 'views'], sentence: spike },
  'creator.viral': { needs: ['reason', 'video'], sentence: viral },
  'hashtag.rising': { needs: ['measure', 'ratio'], sentence: rising },
  'niche.breakout': { needs: ['videos', 'share'], sentence: breakout },
};

const inWords = (name: string): string =>
  name.replace(/_/g, ' ').replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Evidence of another shape, such as from the API: names in words with their values. */
const asItCame = (evidence: JsonObject): string =>
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

/** Evidence under its present names: 0.1.0 had `looks`, and one rule of trend.spike, which it did not name. */
const inPresentNames = ({ looks, ...rest }: JsonObject): JsonObject => ({
  ...('expectedViewsPerHour' in rest ? { rule: 'pace' } : {}),
  ...(looks === undefined ? {} : { snapshots: looks }),
  ...rest,
});

/**
 * Why an event was noticed, in a sentence with its numbers. `data` is what table `events` holds; evidence
 * of another shape than the rules of trendlake write is told as it came.
 */
export const eventSentence = (kind: EventKind, data: unknown): string => {
  const { evidence, window } = isObject(data) ? data : {};
  if (!isObject(evidence) || Object.keys(evidence).length === 0)
    return 'Reported by the API, without numbers.';
  const { needs, sentence } = SENTENCES[kind];
  const named = inPresentNames(evidence);
  const isForecast = kind === 'trend.spike' && named.rule === 'forecast';
  const required = isForecast ? ['topProbability', 'threshold'] : needs;
  if (required.some((name) => named[name] === undefined)) return asItCame(evidence);
  return sentence(new EvidenceWords(named), hoursIn(isObject(window) ? window : undefined));
};
