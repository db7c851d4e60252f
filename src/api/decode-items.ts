import type { Platform } from '../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { ACCEPTED, pick } from '../wire/accepted-names.ts';
import {
  cleanTag,
  extraOf,
  kindOf,
  type Odd,
  readCount,
  readId,
  readInstant,
  readNumber,
  readPlatform,
  readRate,
  readTags,
  readText,
} from '../wire/fields.ts';
import { LONGEST_TAG } from '../wire/item-bounds.ts';
import { contentItem } from '../wire/shapes.ts';

/** A content item, checked. */
export interface DecodedItem {
  id: string;
  platform: Platform;
  title: string | null;
  user: string | null;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  createdAt: number | null;
  /** Null where the item has no list of its own. */
  hashtags: string[] | null;
  score: number | null;
  velocity: number | null;
  extra: JsonObject | null;
}

/** A hashtag with its volume over all platforms and on each. */
export interface DecodedHashtag {
  tag: string;
  volume: number | null;
  views: number | null;
  change: number | null;
  platforms: { platform: Platform; volume: number | null; views: number | null }[];
  /** True where its figures are counted over the videos that the service happened to see. */
  sampled: boolean;
  extra: JsonObject | null;
}

/** A point of a video's or a creator's timeline. */
export interface DecodedPoint {
  at: number;
  views: number | null;
  likes: number | null;
  followers: number | null;
  engagementRate: number | null;
  extra: JsonObject | null;
}

/** Something that cannot be kept, and why. */
export interface Rejection {
  reason: string;
  item: unknown;
}

type Reading<T> = T | { problem: string };

const CONTENT_ITEM = new Set(Object.keys(contentItem.shape));
const NOT_AN_OBJECT = { problem: 'not an object' };

/** Reads a content item: the shown fields strictly by name, the rest into `extra`. */
export const decodeItem = (raw: unknown): Reading<DecodedItem> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const id = readId(raw.id);
  if (id === undefined)
    return {
      problem: `no usable id: expected text of 1 to 128 characters, got ${kindOf(raw.id)}`,
    };
  const where = readPlatform(raw.platform, id);
  if ('problem' in where) return where;
  const odd: Odd = [];
  const item = {
    id,
    platform: where.platform,
    title: readText(raw.title, 'title', odd),
    user: readText(raw.user, 'user', odd),
    views: readCount(raw.views, 'views', odd),
    likes: readCount(raw.likes, 'likes', odd),
    engagementRate: readRate(raw.engagementRate, 'engagementRate', odd),
    createdAt: readInstant(raw.createdAt, 'createdAt', odd),
    hashtags: readTags(raw.hashtags, 'hashtags', odd),
    score: readNumber(raw.score, 'score', odd),
    velocity: readNumber(raw.velocity, 'velocity', odd),
  };
  return { ...item, extra: extraOf(raw, CONTENT_ITEM, odd) };
};

const HASHTAG = new Set<string>([
  ...ACCEPTED.tag,
  ...ACCEPTED.volume,
  ...ACCEPTED.tagViews,
  'change',
  'platforms',
  'sampled',
]);

const decodeTagPlatforms = (raw: unknown, odd: Odd): DecodedHashtag['platforms'] => {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) {
    odd.push(['platforms', raw]);
    return [];
  }
  return raw.flatMap((entry: unknown) => {
    const where = isObject(entry) ? readPlatform(entry.platform, '') : NOT_AN_OBJECT;
    if (!isObject(entry) || 'problem' in where) {
      odd.push(['platforms', entry]);
      return [];
    }
    return [
      {
        platform: where.platform,
        volume: readCount(pick(entry, 'volume'), 'platforms.volume', odd),
        views: readCount(pick(entry, 'tagViews'), 'platforms.views', odd),
      },
    ];
  });
};

/** Reads a hashtag under the accepted names. */
export const decodeHashtag = (raw: unknown): Reading<DecodedHashtag> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const odd: Odd = [];
  const tag = cleanTag(readText(pick(raw, 'tag'), 'tag', odd) ?? '');
  if (tag === '' || tag.length > LONGEST_TAG)
    return { problem: `no usable tag: expected text, got ${kindOf(pick(raw, 'tag'))}` };
  const hashtag = {
    tag,
    volume: readCount(pick(raw, 'volume'), 'volume', odd),
    views: readCount(pick(raw, 'tagViews'), 'views', odd),
    change: readNumber(raw.change, 'change', odd),
    platforms: decodeTagPlatforms(raw.platforms, odd),
    sampled: raw.sampled === true,
  };
  return { ...hashtag, extra: extraOf(raw, HASHTAG, odd) };
};

const POINT = new Set<string>([
  ...ACCEPTED.at,
  ...ACCEPTED.views,
  ...ACCEPTED.likes,
  ...ACCEPTED.followers,
  ...ACCEPTED.engagementRate,
]);

/** Reads a point of a timeline under the accepted names. */
export const decodePoint = (raw: unknown): Reading<DecodedPoint> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const odd: Odd = [];
  const at = readInstant(pick(raw, 'at'), 'at', odd);
  if (at === null)
    return {
      problem: `no usable time: expected ISO 8601 or Unix, got ${kindOf(pick(raw, 'at'))}`,
    };
  const point = {
    at,
    views: readCount(pick(raw, 'views'), 'views', odd),
    likes: readCount(pick(raw, 'likes'), 'likes', odd),
    followers: readCount(pick(raw, 'followers'), 'followers', odd),
    engagementRate: readRate(pick(raw, 'engagementRate'), 'engagementRate', odd),
  };
  return { ...point, extra: extraOf(raw, POINT, odd) };
};
