import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { DAY_MS } from '../../base/durations.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { type Niche, nichesOf } from './niches.ts';
import { RandomStream } from './random-stream.ts';

export const WEEK_MS = 7 * DAY_MS;

/** Creators of one platform at any instant. More than 19 x 37 names do not fit. */
export const CREATORS_PER_PLATFORM = 700;
/** The first so many are the same people on every platform. */
const ON_ALL_PLATFORMS = 150;

/** Somebody who makes videos on one platform, for as long as they do. */
export interface WorldCreator {
  readonly platform: Platform;
  readonly slot: number;
  readonly handle: string;
  readonly language: Language;
  readonly niche: Niche;
  /** Unix ms of the first and after the last week with videos; whole weeks. */
  readonly fromAt: number;
  readonly untilAt: number;
  /** Videos in a usual week. */
  readonly perWeek: number;
  /** Followers on the last day. */
  readonly followersAtEnd: number;
}

const NOUNS =
  'cooks films diaries world tv daily studio life official vlog makes plays lab moves clips corner show club edits times house road notes story live mood archive garden fit project zone talks draws sings loop tales craft'.split(
    ' ',
  );
const NATIVE_WORDS: Readonly<Record<string, string>> = {
  ko: '티비',
  ja: 'チャンネル',
  ru: 'канал',
  ar: 'قناة',
  hi: 'चैनल',
  he: 'ערוץ',
  th: 'ช่อง',
  zh: '頻道',
};
/** Ways to join name and noun; the next holder of a slot gets the next form. */
const FORMS: readonly ((name: string, noun: string) => string)[] = [
  (name, noun) => `${name}.${noun}`,
  (name, noun) => `${name}_${noun}`,
  (name, noun) => `${name}${noun}`,
  (name, noun) => `its.${name}.${noun}`,
  (name, noun) => `${noun}_with_${name}`,
];

const handleOf = (
  platform: Platform,
  slot: number,
  generation: number,
  language: Language,
): string => {
  const name = language.names[slot % language.names.length] ?? language.code;
  const noun = NOUNS[slot % NOUNS.length] ?? 'life';
  const turn = ((generation % FORMS.length) + FORMS.length) % FORMS.length;
  const native = NATIVE_WORDS[language.code];
  if (platform === 'youtube' && native !== undefined && slot % 3 === 0)
    return `${native} ${name}${turn === 0 ? '' : turn} ${noun}`;
  return FORMS[turn]?.(name, noun) ?? name;
};

/** Constant part of a slot while creators come and go. */
const lifeOf = (seed: number, platform: Platform, slot: number) => {
  const stream = new RandomStream(seed, 3, PLATFORMS.indexOf(platform), slot);
  const weeks = 40 + stream.below(80);
  return { weeks, firstWeek: stream.below(weeks) };
};

const FOLLOWER_SCALE: Readonly<Record<Platform, number>> = {
  tiktok: 1.6,
  instagram: 1,
  youtube: 0.7,
};

/** Holder of a slot of a platform at an instant. */
export const creatorAt = (
  seed: number,
  platform: Platform,
  slot: number,
  at: number,
): WorldCreator => {
  const { weeks, firstWeek } = lifeOf(seed, platform, slot);
  const generation = Math.floor((Math.floor(at / WEEK_MS) - firstWeek) / weeks);
  const fromAt = (generation * weeks + firstWeek) * WEEK_MS;
  const person = slot < ON_ALL_PLATFORMS ? 0 : 1 + PLATFORMS.indexOf(platform);
  const taste = new RandomStream(seed, 4, person, slot);
  const language = LANGUAGES[taste.weighted(LANGUAGES.map(({ weight }) => weight))];
  if (language === undefined) throw new RangeError('No languages.');
  const niches = nichesOf(language.code);
  const niche = niches[taste.weighted(niches.map(({ weight }) => weight))];
  if (niche === undefined) throw new RangeError(`No niche of ${language.code}.`);
  const fame = taste.normal();
  const diligence = taste.normal();
  return {
    platform,
    slot,
    handle: handleOf(platform, slot, generation, language),
    language,
    niche,
    fromAt,
    untilAt: fromAt + weeks * WEEK_MS,
    perWeek: Math.min(12, 0.66 * Math.exp(0.8 * diligence + 0.3 * fame)),
    followersAtEnd: 14_000 * FOLLOWER_SCALE[platform] * Math.exp(2 * fame),
  };
};

/** Followers at an instant: a following only grows, faster at first. */
export const followersAt = (creator: WorldCreator, at: number): number => {
  const lived = (at - creator.fromAt) / (creator.untilAt - creator.fromAt);
  return Math.floor(
    creator.followersAtEnd * (0.12 + 0.88 * Math.min(1, Math.max(0, lived)) ** 0.8),
  );
};
