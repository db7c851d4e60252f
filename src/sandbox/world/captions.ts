import type { Platform } from '../../../schema/vocabulary.ts';
import type { Language } from './languages.ts';
import type { Niche } from './niches.ts';
import type { RandomStream } from './random-stream.ts';
import type { Tides } from './tides.ts';

/** Topic, author and time of a caption. */
export interface Occasion {
  readonly platform: Platform;
  readonly language: Language;
  readonly niche: Niche;
  readonly bornAt: number;
}

/** A video's words. `keywords` are tags stored apart from the title (YouTube). */
export interface Caption {
  readonly title: string | null;
  readonly keywords: string[] | null;
}

/** Takes `howMany` of a list ordered by how common its items are, the k-th with weight 1/k. */
const zipfSample = (stream: RandomStream, from: readonly string[], howMany: number): string[] => {
  const taken = new Set<string>();
  for (let draw = 0; draw < howMany; draw++) {
    const tag = from[Math.floor((from.length + 1) ** stream.next()) - 1];
    if (tag !== undefined) taken.add(tag);
  }
  return [...taken];
};

const TAG_APPETITE: Readonly<Record<Platform, number>> = {
  tiktok: 1,
  instagram: 1.5,
  youtube: 0.8,
};

/** Tags of a video: those of its niche, common ones, rising ones, and sometimes a unique one. */
export const drawTags = (stream: RandomStream, occasion: Occasion, tides: Tides): string[] => {
  const { niche, language, bornAt } = occasion;
  const appetite = TAG_APPETITE[occasion.platform];
  const tags = zipfSample(stream, niche.tags, 1 + stream.poisson(1.6 * appetite));
  const breakout = tides.breakoutTag(niche, bornAt);
  if (breakout !== undefined && stream.chance(0.6)) tags.push(breakout);
  for (const trend of tides.trends(language.code, bornAt))
    if (stream.chance(trend.share)) tags.push(trend.tag);
  if (stream.chance(0.7))
    tags.push(...zipfSample(stream, language.commonTags, 1 + stream.poisson(1.2 * appetite)));
  if (stream.chance(0.15)) tags.push(ownTag(stream.pick(niche.subjects)));
  return [...new Set(tags)].filter((tag) => tag !== '');
};

const ownTag = (subject: string): string =>
  subject.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

const sentence = (stream: RandomStream, { language, niche }: Occasion): string =>
  stream
    .pick(language.captions)
    .replace('{s}', stream.pick(niche.subjects))
    .replace('{n}', String(2 + stream.below(stream.chance(0.2) ? 98 : 8)));

const hashed = (tags: readonly string[]): string => tags.map((tag) => `#${tag}`).join(' ');

const cut = (text: string, longest: number): string =>
  text.length <= longest
    ? text
    : [...text]
        .slice(0, longest - 2)
        .join('')
        .trimEnd()
        .concat('…');

const emojiTail = (stream: RandomStream, niche: Niche, probability: number): string => {
  if (!stream.chance(probability)) return '';
  const emoji = stream.pick(niche.emoji);
  return ` ${emoji.repeat(stream.chance(0.2) ? 3 : 1)}`;
};

const tiktokTitle = (stream: RandomStream, occasion: Occasion, tags: readonly string[]): string => {
  if (stream.chance(0.03)) return stream.chance(0.5) ? '' : hashed(tags);
  const words = sentence(stream, occasion) + emojiTail(stream, occasion.niche, 0.45);
  return stream.chance(0.93) ? `${words} ${hashed(tags)}` : words;
};

const instagramTitle = (
  stream: RandomStream,
  occasion: Occasion,
  tags: readonly string[],
): string => {
  const more = Array.from({ length: stream.below(4) }, () => stream.pick(occasion.language.lines));
  const dots = stream.chance(0.25) ? ['.', '.', '.'] : [''];
  const first = sentence(stream, occasion) + emojiTail(stream, occasion.niche, 0.6);
  return [first, ...new Set(more), ...dots, hashed(tags)]
    .join('\n')
    .replaceAll('{n}', String(2 + stream.below(8)));
};

const youtubeTitle = (
  stream: RandomStream,
  occasion: Occasion,
  tags: readonly string[],
): string => {
  const words = sentence(stream, occasion) + emojiTail(stream, occasion.niche, 0.18);
  const shorts = stream.chance(0.4) ? ` #shorts ${hashed(tags.slice(0, stream.below(3)))}` : '';
  const title = (words + shorts).trim();
  return cut(title.charAt(0).toUpperCase() + title.slice(1), 100);
};

/** Writes the words of a video with these tags. Draws again for another version of the same. */
export const writeWords = (
  stream: RandomStream,
  occasion: Occasion,
  tags: readonly string[],
): Caption => {
  switch (occasion.platform) {
    case 'tiktok':
      return { title: tiktokTitle(stream, occasion, tags), keywords: null };
    case 'instagram':
      return {
        title: stream.chance(0.004) ? null : instagramTitle(stream, occasion, tags),
        keywords: null,
      };
    case 'youtube':
      return { title: youtubeTitle(stream, occasion, tags), keywords: [...tags] };
  }
};
