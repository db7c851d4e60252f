import { PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { HOUR_MS } from '../../base/durations.ts';
import type { Birth } from './births.ts';
import { drawTags, writeWords } from './captions.ts';
import type { WorldCreator } from './creators.ts';
import { countLikes, countViews, type WorldCurve } from './curve.ts';
import { RandomStream } from './random-stream.ts';
import { worldSnapshots } from './snapshots.ts';
import type { Tides } from './tides.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const base64 = (stream: RandomStream, length: number): string =>
  Array.from({ length }, () => BASE64URL[stream.below(64)]).join('');

/**
 * An id as the platform would give it: TikTok's hold the second of birth in their upper half,
 * YouTube's are 64 bits in eleven characters, Instagram's begin with the letter of their decade.
 */
const drawId = (stream: RandomStream, platform: Platform, bornAt: number): string => {
  switch (platform) {
    case 'tiktok': {
      const second = BigInt(Math.floor(bornAt / 1000));
      return `tt_${(second << 32n) | BigInt(stream.below(2 ** 32))}`;
    }
    case 'instagram':
      return `ig_D${base64(stream, 10)}`;
    case 'youtube':
      return `yt_${base64(stream, 10)}${BASE64URL[4 * stream.below(16)]}`;
  }
};

/** One video of the made-up world, with its whole life. Instants are Unix milliseconds. */
export interface WorldVideo {
  readonly id: string;
  readonly platform: Platform;
  readonly user: string;
  readonly niche: string;
  readonly bornAt: number;
  /** Its titles, oldest first, each with the instant from which it stands. */
  readonly titles: readonly { readonly fromAt: number; readonly title: string | null }[];
  /** Tags stored apart from the title; null: only those written in it. */
  readonly hashtags: string[] | null;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly curve: WorldCurve;
  /** Instants at which its counts are taken, oldest first. */
  readonly snapshots: readonly number[];
}

const TITLE_CHANGE = 0.025;
const AMENDMENTS = [' ‼️', ' 🔥', ' (update)', ' - part 2 is up', ' 👀'];

const amended = (stream: RandomStream, title: string | null, other: string | null) =>
  title === null || stream.chance(0.3) ? other : title + stream.pick(AMENDMENTS);

/**
 * Gives a birth its id, words and snapshots. `index` distinguishes the births of one creator and
 * week.
 */
export const bringUp = (
  seed: number,
  creator: WorldCreator,
  { birth, index }: { birth: Birth; index: number },
  tides: Tides,
): WorldVideo => {
  const { platform, language, slot } = creator;
  const { bornAt, niche, curve } = birth;
  const platformKey = PLATFORMS.indexOf(platform);
  const stream = new RandomStream(seed, 7, platformKey, slot, bornAt / 1000, index);
  const id = drawId(stream, platform, bornAt);
  const occasion = { platform, language, niche, bornAt };
  const tags = drawTags(stream, occasion, tides);
  const words = writeWords(stream, occasion, tags);
  const titles = [{ fromAt: bornAt, title: words.title }];
  if (stream.chance(TITLE_CHANGE)) {
    const other = writeWords(stream, occasion, tags).title;
    const fromAt = bornAt + 3 * HOUR_MS * 160 ** stream.next(); // three hours to twenty days later
    titles.push({ fromAt, title: amended(stream, words.title, other) });
  }
  const durationSec = Math.round(stream.logNormal(platform === 'youtube' ? 48 : 24, 0.6));
  return {
    id,
    platform,
    user: creator.handle,
    niche: niche.id,
    bornAt,
    titles,
    hashtags: words.keywords,
    extra: { durationSec, lang: language.code },
    curve,
    snapshots: worldSnapshots(curve, bornAt, seed ^ (platformKey * 1000 + slot)),
  };
};

/** The title as of an instant. */
export const titleAt = (video: WorldVideo, at: number): string | null =>
  video.titles.findLast(({ fromAt }) => fromAt <= at)?.title ?? null;

/** The true view count as of an instant; 0 before its birth. */
export const worldViewsAt = (video: WorldVideo, at: number): number =>
  countViews(video.curve, video.bornAt, at);

/** The true like count as of an instant; null where hidden. */
export const likesAt = (video: WorldVideo, at: number): number | null =>
  countLikes(video.curve, video.bornAt, at);
