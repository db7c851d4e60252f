import { createHash } from 'node:crypto';
import type { Platform } from '../../../schema/vocabulary.ts';
import type { UpstreamSettings } from '../../base/config/upstream-settings.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { isErasedMark } from '../../base/wire/erased-mark.ts';
import { FIELDS, HOLDERS } from '../../base/wire/field-table.ts';
import {
  extraOf,
  kindOf,
  namesOf,
  type Odd,
  readCount,
  readFields,
  readInstant,
  valueUnder,
} from '../../base/wire/fields.ts';
import { creatorIn, findArray } from '../../base/wire/find-array.ts';
import { plainHandle } from '../../base/wire/folding.ts';
import type { RawResponse } from '../client.ts';
import { inOurWords, nextCursor } from '../dialect.ts';
import { UnreadableResponseError } from '../errors.ts';
import type { ListRequest, UpstreamRequest } from '../request.ts';
import {
  type DecodedHashtag,
  type DecodedItem,
  type DecodedPoint,
  type DecodedProfile,
  decodeHashtag,
  decodeItem,
  decodePoint,
} from './decode-items.ts';
import {
  type Decoded,
  noteAnother,
  noteDrift,
  noteForeign,
  noteLongTexts,
  noteMissing,
  noteOdd,
  noteRateUnit,
} from './note-drift.ts';
import { parseBody } from './parse-body.ts';

/** An item of a list with its position, 0 first, counted over all items of the page. */
export interface Positioned<T> {
  position: number;
  item: T;
}

/** A page of a list without its items. */
interface DecodedPage {
  /** Matching items, as stated: more than can be paged to where the service says `matched`. */
  total: number | null;
  /** Items that can be paged to, as stated. */
  pageable: number | null;
  /** Members of its list, readable or not. */
  length: number;
  /** Fingerprint of its items; null if none could be read. */
  mark: string | null;
  /** Cursor of the next page; null at the end, absent if the upstream has no cursors. */
  next?: string | null;
}

/** The checked content of a response with status 200. */
export type DecodedResponse = Decoded &
  (
    | ({ kind: 'videos'; items: Positioned<DecodedItem>[] } & DecodedPage)
    | ({ kind: 'hashtags'; items: Positioned<DecodedHashtag>[] } & DecodedPage)
    | { kind: 'growth'; points: DecodedPoint[] }
    | { kind: 'creator'; profile: DecodedProfile; items: DecodedItem[]; growth: DecodedPoint[] }
    | { kind: 'analysis'; analysis: JsonObject; generatedAt: number | null }
  );

const unknownShape = (
  response: RawResponse,
  { resource, expected }: { resource: string; expected: string },
  value: unknown,
): Error => {
  const error = new UnreadableResponseError(
    `The response has no ${expected}; it is ${kindOf(value)}`,
    response.status,
    false,
  );
  error.drift = { resource, field: '(unknown shape)', sample: value };
  return error;
};

/** Reads every member. Unreadable ones become rejections. */
const readAll = <T extends { extra: JsonObject | null }>(
  list: readonly unknown[],
  read: (raw: unknown) => T | { problem: string },
  resource: string,
  into: Decoded,
): Positioned<T>[] =>
  list.flatMap((raw, position) => {
    if (isErasedMark(raw)) return [];
    const item = read(raw);
    if ('problem' in item) {
      into.rejected.push({ reason: item.problem, item: raw });
      return [];
    }
    noteDrift(resource, item.extra, into);
    noteMissing(resource, raw, into);
    return [{ position, item }];
  });

const ENVELOPE = new Set([
  'total',
  'matched',
  'page',
  'asOf',
  'platform',
  'period',
  ...HOLDERS.list,
]);
// a trendlake that is served adds `forecast`, computed here again, and `dailyBefore`
const GROWTH = new Set([
  'id',
  'platform',
  'asOf',
  'curve',
  'forecast',
  'dailyBefore',
  ...HOLDERS.timeline,
]);
const PROFILE_SAYS = new Set<string>([
  ...namesOf(FIELDS.creator),
  ...HOLDERS.creatorVideos,
  ...HOLDERS.creatorGrowth,
]);
const PROFILE = new Set([...PROFILE_SAYS, 'platform', 'asOf']);

const startOf = (value: unknown, resource: string): Decoded => {
  const odd: Odd = [];
  const asOf = isObject(value) ? readInstant(value.asOf, 'asOf', odd) : null;
  const into: Decoded = { asOf, rejected: [], drift: [] };
  noteOdd(resource, odd, into);
  return into;
};

/** Fingerprint of the items of a page in any order, because a service may reorder them meanwhile. */
const markOf = (names: readonly string[]): string | null =>
  names.length === 0
    ? null
    : createHash('sha256').update(JSON.stringify(names.toSorted())).digest('hex').slice(0, 16);

const decodeList = <T extends { extra: JsonObject | null }>(
  { response, value, request }: { response: RawResponse; value: unknown; request: ListRequest },
  read: (raw: unknown) => T | { problem: string },
  nameOf: (item: T) => string,
  resource: string,
) => {
  const found = findArray(value, HOLDERS.list);
  if (found === undefined) {
    const expected = `list (looked for ${HOLDERS.list.join(', ')})`;
    throw unknownShape(response, { resource: 'list', expected }, value);
  }
  const into = startOf(value, 'list');
  if (found.holder !== undefined) noteDrift('list', extraOf(found.holder, ENVELOPE, []), into);
  if (found.path !== HOLDERS.list[0])
    into.drift.push({ resource: 'list', field: `items (as ${found.path})`, sample: value });
  if (isObject(value)) noteMissing('list', { ...value, ...found.holder }, into);
  const odd: Odd = [];
  const stated = found.holder?.total ?? (isObject(value) ? value.total : undefined);
  const pageable = readCount(stated, 'total', odd);
  const matched = readCount(found.holder?.matched, 'matched', odd);
  noteOdd('list', odd, into);
  const items = readAll(found.list, read, resource, into);
  const mark = markOf(items.map(({ item }) => nameOf(item)));
  const page = { ...into, total: matched ?? pageable, pageable, mark };
  if (mark === null || mark !== request.before)
    return { ...page, length: found.list.length, items };
  // a service that ignores `page` would return the first page without end
  into.drift.push({ resource: 'list', field: 'page (repeated)', sample: value });
  return { ...page, length: 0, items: [], rejected: [] };
};

const decodeGrowth = (response: RawResponse, value: unknown, id: string): DecodedResponse => {
  const found = findArray(value, HOLDERS.timeline);
  if (found === undefined) {
    const expected = `timeline (looked for ${HOLDERS.timeline.join(', ')})`;
    throw unknownShape(response, { resource: 'growth', expected }, value);
  }
  const into = startOf(value, 'growth');
  if (isObject(value)) {
    noteDrift('growth', extraOf(value, GROWTH, []), into);
    noteAnother('growth', { field: 'id', asked: id, stated: value.id }, into);
  }
  const points = readAll(found.list, decodePoint, 'growth point', into).map(({ item }) => item);
  return { kind: 'growth', ...into, points };
};

const decodeCreator = (
  response: RawResponse,
  body: unknown,
  query: { platform: Platform; handle: string },
): DecodedResponse => {
  const value = creatorIn(body);
  // an object without any field of a creator is an error, not an empty profile
  if (!isObject(value) || !Object.keys(value).some((name) => PROFILE_SAYS.has(name))) {
    const expected = `creator (looked for ${[...PROFILE_SAYS].join(', ')})`;
    throw unknownShape(response, { resource: 'creator', expected }, value);
  }
  const into = startOf(value, 'creator');
  const odd: Odd = [];
  const { handle: written, ...numbers } = readFields(value, FIELDS.creator, odd);
  const handle = plainHandle(written ?? query.handle);
  const extra = extraOf(value, PROFILE, odd);
  noteDrift('creator', extra, into);
  noteMissing('creator', value, into);
  noteAnother('creator', { field: 'handle', asked: query.handle, stated: written }, into);
  const videos = valueUnder(value, HOLDERS.creatorVideos);
  const growth = valueUnder(value, HOLDERS.creatorGrowth);
  const items = readAll(Array.isArray(videos) ? videos : [], decodeItem, 'content item', into);
  const points = readAll(Array.isArray(growth) ? growth : [], decodePoint, 'creator point', into);
  const own = items.map(({ item }) => item);
  for (const item of own) noteLongTexts(item, into);
  noteForeign(own, { kind: 'profile', platform: query.platform }, into);
  return {
    kind: 'creator',
    ...into,
    profile: { platform: query.platform, handle, ...numbers, extra },
    items: own,
    growth: points.map(({ item }) => item),
  };
};

/**
 * Reads a response of status 200. Pure, so that `replay` uses it on stored bodies.
 * @throws UnreadableResponseError when nothing of the page can be read
 */
export const decodeResponse = (
  request: UpstreamRequest,
  response: RawResponse,
  settings: UpstreamSettings = {},
): DecodedResponse => {
  const stated = parseBody(response);
  const value = inOurWords(request, stated, settings);
  const cursor = nextCursor(stated, response.headers, settings);
  const next = cursor === undefined ? {} : { next: cursor };
  switch (request.kind) {
    case 'feed':
    case 'trends':
    case 'search': {
      const page = decodeList(
        { response, value, request },
        decodeItem,
        ({ id }) => id,
        'content item',
      );
      const items = page.items.map(({ item }) => item);
      noteRateUnit(items, page);
      for (const item of items) noteLongTexts(item, page);
      noteForeign(items, request, page);
      return { kind: 'videos', ...page, ...next };
    }
    case 'hashtags':
      return {
        kind: 'hashtags',
        ...decodeList({ response, value, request }, decodeHashtag, ({ tag }) => tag, 'hashtag'),
        ...next,
      };
    case 'growth':
      return decodeGrowth(response, value, request.id);
    case 'creator':
      return decodeCreator(response, value, request);
    case 'analyze': {
      if (!isObject(value))
        throw unknownShape(response, { resource: 'analysis', expected: 'analysis' }, value);
      const generatedAt = readInstant(value.generatedAt, 'generatedAt', []);
      const into = startOf(value, 'analysis');
      noteAnother('analysis', { field: 'id', asked: request.id, stated: value.id }, into);
      return { kind: 'analysis', ...into, analysis: value, generatedAt };
    }
  }
};
