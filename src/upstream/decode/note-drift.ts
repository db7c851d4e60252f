import type { Platform } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { type Odd, shortly } from '../../base/wire/fields.ts';
import { foldHandle } from '../../base/wire/folding.ts';
import { MOST_TAGS, READ_CHARACTERS } from '../../base/wire/item-bounds.ts';
import type { Drift } from '../errors.ts';
import type { DecodedItem, Rejection } from './decode-items.ts';

/** Notes about a response, collected while it is read. */
export interface Decoded {
  /** The instant the response says it is true at, Unix ms; null when it does not say. */
  asOf: number | null;
  rejected: Rejection[];
  drift: Drift[];
}

/** Documented fields of each resource, with their accepted names. */
const SHOWN: Record<string, Record<string, readonly string[]>> = {
  list: { total: ['total'], page: ['page'] },
  'content item': Object.fromEntries(
    ['title', 'user', 'views', 'likes', 'engagementRate', 'createdAt', 'platform'].map((name) => [
      name,
      [name],
    ]),
  ),
  hashtag: { volume: FIELDS.hashtag.volume.names },
  'growth point': { views: FIELDS.point.views.names },
  creator: { followers: FIELDS.creator.followers.names },
};

/** Notes documented fields that are missing. Null is not missing. */
export const noteMissing = (resource: string, value: unknown, into: Decoded): void => {
  if (!isObject(value)) return;
  for (const [field, names] of Object.entries(SHOWN[resource] ?? {}))
    if (!names.some((name) => Object.hasOwn(value, name)))
      into.drift.push({ resource, field: `${field} (missing)`, sample: value });
};

export const noteDrift = (resource: string, extra: JsonObject | null, into: Decoded): void => {
  if (extra === null) return;
  for (const [field, sample] of Object.entries(extra)) {
    if (field === 'odd' && isObject(sample))
      for (const [name, original] of Object.entries(sample))
        into.drift.push({ resource, field: `${name} (unexpected value)`, sample: original });
    else into.drift.push({ resource, field, sample });
  }
};

export const noteOdd = (resource: string, odd: Odd, into: Decoded): void => {
  for (const [field, sample] of odd)
    into.drift.push({ resource, field: `${field} (unexpected value)`, sample });
};

/** Items that must agree before the unit of the rate is doubted. */
const ENOUGH_RATES = 5;
const isNear = (factor: number, unit: number): boolean =>
  factor > 0.98 * unit && factor < 1.02 * unit;

/** Reports rates that are a hundredth or hundredfold of likes / views in percent, on all of a page. */
export const noteRateUnit = (items: readonly DecodedItem[], into: Decoded): void => {
  const factors = items.flatMap(({ views, likes, engagementRate: rate }) =>
    views && likes && rate ? [(rate * views) / (100 * likes)] : [],
  );
  if (factors.length < ENOUGH_RATES) return;
  const isFraction = factors.every((factor) => isNear(factor, 0.01));
  const isPercent = factors.every((factor) => isNear(factor, 100));
  const [sample] = items;
  if ((!isFraction && !isPercent) || sample === undefined) return;
  const { id, views, likes, engagementRate } = sample;
  into.drift.push({
    resource: 'content item',
    field: `engagementRate (${isFraction ? 'a fraction' : 'percent'}, by likes and views)`,
    sample: { id, views, likes, engagementRate },
  });
};

const SAMPLE_CHARACTERS = 200;

/** Compares the requested name with the stated one: ids may lack their prefix, handles differ in spelling. */
const IS_NAMED = {
  id: (asked: string, stated: string): boolean => stated === asked || asked.endsWith(`_${stated}`),
  handle: (asked: string, stated: string): boolean => foldHandle(stated) === foldHandle(asked),
};

/** Says how much of a text is read; undefined if all of it is. */
const readInPart = (text: string | null): string | undefined => {
  if (text === null || text.length <= MOST_TAGS) return undefined;
  if (text.length > READ_CHARACTERS)
    return `longer than ${READ_CHARACTERS} characters: words and hashtags after them are not read`;
  return text.split(/[#＃]/, MOST_TAGS + 2).length > MOST_TAGS + 1
    ? `more than ${MOST_TAGS} hashtags: those after them are not read`
    : undefined;
};

/** Reports texts that are stored whole but searched and read for hashtags at their beginning only. */
export const noteLongTexts = (item: DecodedItem, into: Decoded): void => {
  for (const field of ['title', 'user'] as const) {
    const why = readInPart(item[field]);
    if (why === undefined) continue;
    const sample = `${why} (${item.id})`;
    into.drift.push({ resource: 'content item', field: `${field} (too long)`, sample });
  }
};

/**
 * Reports a response that names another video or creator than was asked for. A timeline or an analysis
 * is loaded as what was asked for: a service may name its things otherwise inside a response than in
 * addresses. A profile is loaded under the handle it states: creators are renamed.
 */
export const noteAnother = (
  resource: string,
  { field, asked, stated }: { field: keyof typeof IS_NAMED; asked: string; stated: unknown },
  into: Decoded,
): void => {
  if (typeof stated !== 'string' || IS_NAMED[field](asked, stated)) return;
  const sample = `${shortly(stated, SAMPLE_CHARACTERS)} for ${asked}`;
  into.drift.push({ resource, field: `${field} (not the one requested)`, sample });
};

/** Reports what a list of one platform holds of another: the item is loaded, without a rank. */
export const noteForeign = (
  items: readonly DecodedItem[],
  { kind, platform }: { kind: string; platform?: Platform },
  into: Decoded,
): void => {
  if (platform === undefined) return; // of all of them
  const field = 'platform (not the one requested)';
  for (const item of items)
    if (item.platform !== platform) {
      const sample = `${item.id} in a ${kind} of ${platform}`;
      into.drift.push({ resource: 'content item', field, sample });
    }
};
