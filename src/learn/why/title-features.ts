/** Instants in Unix ms; null: unknown. */
export interface LabVideo {
  readonly key: number;
  readonly title: string | null;
  readonly user: string | null;
  readonly createdAt: number | null;
  readonly views: number;
  readonly likes: number | null;
  readonly durationSec: number | null;
}

/** A yes-or-no property of a video. */
export interface Feature {
  readonly id: string;
  /** Completes "a video that ...". */
  readonly says: string;
  /** Part of the recipe that uses it. */
  readonly part: 'hook' | 'format' | 'caption';
  /** Completes "To have it, ...". */
  readonly advice: string;
  /** Undefined if unknown. */
  readonly of: (video: LabVideo) => boolean | undefined;
}

const HASHTAG = /[#＃][\p{L}\p{N}\p{M}_]+/gu;
const letters = (text: string): string => text.replace(/[^\p{L}]/gu, '');
export const withoutTags = (text: string): string => text.replace(HASHTAG, '').trim();

const ofTitle =
  (test: (title: string) => boolean) =>
  (video: LabVideo): boolean | undefined =>
    video.title === null || video.title.trim() === '' ? undefined : test(video.title);
const ofDuration =
  (test: (seconds: number) => boolean) =>
  (video: LabVideo): boolean | undefined =>
    video.durationSec === null ? undefined : test(video.durationSec);

/** Characters without hashtags. */
export const titleLength = (title: string): number => [...withoutTags(title)].length;
const tagCount = (title: string): number => title.match(HASHTAG)?.length ?? 0;

const isShouted = (title: string): boolean => {
  const word = letters(withoutTags(title));
  const upper = word.replace(/[^\p{Lu}]/gu, '').length;
  const cased = word.replace(/[^\p{Lu}\p{Ll}]/gu, '').length;
  return cased >= 8 && upper / cased > 0.6;
};

export const TITLE_FEATURES: readonly Feature[] = [
  {
    id: 'question',
    part: 'hook',
    says: 'asks a question',
    advice: 'ask a question',
    of: ofTitle((t) => /[?？؟]/.test(t)),
  },
  {
    id: 'exclamation',
    part: 'hook',
    says: 'has an exclamation mark',
    advice: 'use an exclamation mark',
    of: ofTitle((t) => /[!！]/.test(t)),
  },
  {
    id: 'number',
    part: 'hook',
    says: 'has a number in its title',
    advice: 'put a number in the title',
    of: ofTitle((t) => /\p{Nd}/u.test(withoutTags(t))),
  },
  {
    id: 'capitals',
    part: 'hook',
    says: 'is written mostly in capitals',
    advice: 'write the title in capitals',
    of: ofTitle(isShouted),
  },
  {
    id: 'ellipsis',
    part: 'hook',
    says: 'leaves its title open with dots',
    advice: 'leave the title open with dots',
    of: ofTitle((t) => /\.\.\.|…/.test(t)),
  },
  {
    id: 'emoji',
    part: 'caption',
    says: 'has an emoji',
    advice: 'use an emoji',
    of: ofTitle((t) => /\p{Extended_Pictographic}/u.test(t.replace(/[©®™]/g, ''))),
  },
  {
    id: 'mention',
    part: 'caption',
    says: 'mentions an account',
    advice: 'mention an account',
    of: ofTitle((t) => /(^|\s)@[\p{L}\p{N}_.]+/u.test(t)),
  },
  {
    id: 'short-title',
    part: 'caption',
    says: 'has at most 30 characters before its hashtags',
    advice: 'keep the text at 30 characters or under',
    of: ofTitle((t) => titleLength(t) <= 30),
  },
  {
    id: 'long-title',
    part: 'caption',
    says: 'has over 80 characters before its hashtags',
    advice: 'write over 80 characters',
    of: ofTitle((t) => titleLength(t) > 80),
  },
  {
    id: 'no-hashtag',
    part: 'caption',
    says: 'has no hashtag in its title',
    advice: 'leave hashtags out of the title',
    of: ofTitle((t) => tagCount(t) === 0),
  },
  {
    id: 'many-hashtags',
    part: 'caption',
    says: 'has over 5 hashtags in its title',
    advice: 'use over 5 hashtags',
    of: ofTitle((t) => tagCount(t) > 5),
  },
  {
    id: 'under-30-seconds',
    part: 'format',
    says: 'is shorter than 30 seconds',
    advice: 'stay under 30 seconds',
    of: ofDuration((s) => s < 30),
  },
  {
    id: '30-to-60-seconds',
    part: 'format',
    says: 'lasts 30 to 60 seconds',
    advice: 'last 30 to 60 seconds',
    of: ofDuration((s) => s >= 30 && s <= 60),
  },
  {
    id: '1-to-10-minutes',
    part: 'format',
    says: 'lasts 1 to 10 minutes',
    advice: 'last 1 to 10 minutes',
    of: ofDuration((s) => s > 60 && s <= 600),
  },
  {
    id: 'over-10-minutes',
    part: 'format',
    says: 'lasts over 10 minutes',
    advice: 'last over 10 minutes',
    of: ofDuration((s) => s > 600),
  },
];
