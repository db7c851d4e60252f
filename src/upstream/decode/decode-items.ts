import type { Platform } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import {
  cleanTag,
  extraOf,
  kindOf,
  namesOf,
  type Odd,
  type OrProblem,
  readFields,
  readId,
  readPlatform,
  valueUnder,
} from '../../base/wire/fields.ts';
import { LONGEST_TAG } from '../../base/wire/item-bounds.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
import { contentItem } from '../../base/wire/shapes.ts';

/** A content item, checked: a video, and what its list ranked it by. */
export interface DecodedItem extends VideoObservation {
  extra: JsonObject | null;
  score: number | null;
  velocity: number | null;
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

/** A creator's own numbers. */
export interface DecodedProfile {
  platform: Platform;
  handle: string;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  extra: JsonObject | null;
}

/** Something that cannot be kept, and why. */
export interface Rejection {
  reason: string;
  item: unknown;
}

const NOT_AN_OBJECT = { problem: 'not an object' };
const CONTENT_ITEM = new Set([...Object.keys(contentItem.shape), ...namesOf(FIELDS.item)]);

/** Reads a content item: the shown fields strictly by name, the rest into `extra`. */
export const decodeItem = (raw: unknown): OrProblem<DecodedItem> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const id = readId(raw.id);
  if (id === undefined)
    return {
      problem: `no usable id: expected text of 1 to 128 characters, got ${kindOf(raw.id)}`,
    };
  const where = readPlatform(raw.platform, id);
  if ('problem' in where) return where;
  const odd: Odd = [];
  const item = { id, platform: where.platform, ...readFields(raw, FIELDS.item, odd) };
  return { ...item, extra: extraOf(raw, CONTENT_ITEM, odd), snapshotExtra: null };
};

const HASHTAG = new Set([...namesOf(FIELDS.hashtag), 'platforms', 'sampled', 'forecast']);

const decodeTagPlatforms = (raw: unknown, odd: Odd): DecodedHashtag['platforms'] => {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) {
    odd.push(['platforms', raw]);
    return [];
  }
  const { volume, views } = FIELDS.hashtag;
  return raw.flatMap((entry: unknown) => {
    const where = isObject(entry) ? readPlatform(entry.platform, '') : NOT_AN_OBJECT;
    if (!isObject(entry) || 'problem' in where) {
      odd.push(['platforms', entry]);
      return [];
    }
    return [
      {
        platform: where.platform,
        volume: volume.read(valueUnder(entry, volume.names), 'platforms.volume', odd),
        views: views.read(valueUnder(entry, views.names), 'platforms.views', odd),
      },
    ];
  });
};

/** Reads a hashtag under the accepted names. */
export const decodeHashtag = (raw: unknown): OrProblem<DecodedHashtag> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const odd: Odd = [];
  const { tag: written, ...figures } = readFields(raw, FIELDS.hashtag, odd);
  const tag = cleanTag(written ?? '');
  if (tag === '' || tag.length > LONGEST_TAG) {
    const got = kindOf(valueUnder(raw, FIELDS.hashtag.tag.names));
    return { problem: `no usable tag: expected text, got ${got}` };
  }
  const platforms = decodeTagPlatforms(raw.platforms, odd);
  const hashtag = { tag, ...figures, platforms, sampled: raw.sampled === true };
  return { ...hashtag, extra: extraOf(raw, HASHTAG, odd) };
};

const POINT = new Set(namesOf(FIELDS.point));

/** Reads a point of a timeline under the accepted names. */
export const decodePoint = (raw: unknown): OrProblem<DecodedPoint> => {
  if (!isObject(raw)) return NOT_AN_OBJECT;
  const odd: Odd = [];
  const { at, ...counts } = readFields(raw, FIELDS.point, odd);
  if (at === null) {
    const got = kindOf(valueUnder(raw, FIELDS.point.at.names));
    return { problem: `no usable time: expected ISO 8601 or Unix, got ${got}` };
  }
  return { at, ...counts, extra: extraOf(raw, POINT, odd) };
};
