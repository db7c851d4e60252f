import { PLATFORM_PREFIXES, PLATFORMS, type Platform } from '../../schema/vocabulary.ts';
import type { UpstreamSettings } from '../base/config/upstream-settings.ts';
import { isObject, type JsonObject } from '../base/json-object.ts';
import { FIELDS, HOLDERS } from '../base/wire/field-table.ts';
import { platformOfId } from '../base/wire/fields.ts';
import { arrayAt, creatorIn, findArray, valueAt } from '../base/wire/find-array.ts';
import {
  type HttpRequest,
  httpRequest,
  type ListRequest,
  type UpstreamRequest,
  type WordedRequest,
} from './request.ts';

// The one place that translates between the words of the upstream and ours. Requests leave in its words,
// responses are rewritten in ours before they are decoded. Tables hold our words only.

/** True if every setting is a default, so that nothing is translated. */
const isOurs = (settings: UpstreamSettings): boolean => Object.keys(settings).length === 0;

const listed = (paths: string | readonly string[] | undefined): readonly string[] =>
  paths === undefined ? [] : typeof paths === 'string' ? [paths] : paths;

/** Prefix of the service's ids with its separator, such as `tk_`. */
export const theirPrefix = (platform: Platform, { idPrefixes }: UpstreamSettings): string => {
  const prefix = idPrefixes?.[platform] ?? PLATFORM_PREFIXES[platform];
  return /[a-z0-9]$/i.test(prefix) ? `${prefix}_` : prefix;
};

const theirId = (id: string, settings: UpstreamSettings): string => {
  const platform = settings.idPrefixes === undefined ? undefined : platformOfId(id);
  return platform === undefined
    ? id
    : theirPrefix(platform, settings) + id.slice(PLATFORM_PREFIXES[platform].length + 1);
};

/** An id in our words; `platform` decides where the service's ids have no prefix. */
const ourId = (id: string, platform: unknown, settings: UpstreamSettings): string => {
  const { idPrefixes } = settings;
  if (idPrefixes === undefined) return id;
  const translated = PLATFORMS.filter((name) => idPrefixes[name] !== undefined);
  const named = translated
    .filter((name) => theirPrefix(name, settings) !== '')
    .find((name) => id.startsWith(theirPrefix(name, settings)));
  const bare = translated.find((name) => idPrefixes[name] === '' && name === platform);
  const found = named ?? bare;
  return found === undefined
    ? id
    : `${PLATFORM_PREFIXES[found]}_${id.slice(theirPrefix(found, settings).length)}`;
};

/** The word of ours for a word of the service; the word itself if it is ours or unknown. */
const ourWord = (
  value: unknown,
  words: Readonly<Record<string, string>> | undefined,
  known: readonly string[],
): unknown => {
  if (typeof value !== 'string' || words === undefined) return value;
  const entries = Object.entries(words);
  const exact = entries.find(([, theirs]) => theirs === value)?.[0];
  if (exact !== undefined || known.includes(value)) return exact ?? value;
  const folded = value.toLowerCase();
  return (
    entries.find(([, theirs]) => theirs.toLowerCase() === folded)?.[0] ??
    known.find((word) => word === folded) ??
    value
  );
};

/** A fraction in percent, without the noise of binary digits: 0.0523 is 5.23. */
const percentOf = (value: unknown): unknown => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number)
    ? Number((number * 100).toPrecision(15))
    : value;
};

const RATES = [
  ...new Set([FIELDS.item, FIELDS.point, FIELDS.creator].flatMap((of) => of.engagementRate.names)),
];

interface Where {
  readonly settings: UpstreamSettings;
  /** Of the request, for ids without a prefix. */
  readonly platform: Platform | undefined;
}

/** An object with the fields that have words or units of the service. */
export const ourFields = (raw: unknown, { settings, platform }: Where): unknown => {
  if (!isObject(raw)) return raw;
  const changed: Record<string, unknown> = {};
  if (Object.hasOwn(raw, 'platform'))
    changed.platform = ourWord(raw.platform, settings.platforms, PLATFORMS);
  if (typeof raw.id === 'string')
    changed.id = ourId(raw.id, changed.platform ?? platform, settings);
  if (settings.engagementRate === 'fraction')
    for (const name of RATES) if (Object.hasOwn(raw, name)) changed[name] = percentOf(raw[name]);
  return { ...raw, ...changed };
};

const ourHashtag = (raw: unknown, where: Where): unknown =>
  isObject(raw) && Array.isArray(raw.platforms)
    ? { ...raw, platforms: raw.platforms.map((part) => ourFields(part, where)) }
    : raw;

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

const namesIn = (paths: readonly string[]): string[] => paths.flatMap((path) => path.split('.'));

/** A list in our envelope; the value itself if it holds no list. */
const ourList = (value: unknown, where: Where, request: ListRequest): unknown => {
  const { lists = {}, paging = {} } = where.settings;
  const totals = listed(lists.total);
  const found = arrayAt(value, listed(lists.items)) ?? findArray(value, HOLDERS.list);
  if (found === undefined) return value;
  const read = request.kind === 'hashtags' ? ourHashtag : ourFields;
  const root = isObject(value) ? value : {};
  const { holder = {} } = found;
  const total = totals.map((path) => valueAt(value, path)).find((stated) => stated !== undefined);
  const known = namesIn([found.path, ...totals, ...listed(paging.cursor)]);
  const envelope = {
    ...without(holder, known),
    ...(root.asOf === undefined ? {} : { asOf: root.asOf }),
    total: total ?? holder.total ?? root.total,
    page: holder.page ?? root.page ?? request.page,
  };
  return { ...envelope, items: found.list.map((item) => read(item, where)) };
};

const ourGrowth = (value: unknown, where: Where): unknown => {
  const found =
    arrayAt(value, listed(where.settings.growth?.items)) ?? findArray(value, HOLDERS.timeline);
  if (found === undefined) return value;
  const points = found.list.map((point) => ourFields(point, where));
  if (found.holder === undefined) return points;
  const around = ourFields(without(found.holder, namesIn([found.path])), where);
  return { ...(around as JsonObject), [HOLDERS.timeline[0]]: points };
};

const ourCreator = (value: unknown, where: Where): unknown => {
  const creator = ourFields(creatorIn(value), where);
  if (!isObject(creator)) return creator;
  const lists = [...HOLDERS.creatorVideos, ...HOLDERS.creatorGrowth].flatMap((name) => {
    const list = creator[name];
    return Array.isArray(list) ? [[name, list.map((member) => ourFields(member, where))]] : [];
  });
  return { ...creator, ...Object.fromEntries(lists) };
};

/** A response's JSON in our words and units. */
export const inOurWords = (
  request: UpstreamRequest,
  value: unknown,
  settings: UpstreamSettings,
): unknown => {
  if (isOurs(settings)) return value;
  const where = { settings, platform: 'platform' in request ? request.platform : undefined };
  switch (request.kind) {
    case 'growth':
      return ourGrowth(value, where);
    case 'creator':
      return ourCreator(value, where);
    case 'analyze':
      return ourFields(value, where);
    default:
      return ourList(value, where, request);
  }
};

/** A request as the upstream is sent it, in its words. */
export const wireRequest = (request: UpstreamRequest, settings: UpstreamSettings): HttpRequest => {
  if (isOurs(settings)) return httpRequest(request);
  const { platforms = {}, periods = {}, dateRanges = {} } = settings;
  const worded: Record<string, unknown> = {};
  if ('platform' in request && request.platform !== undefined)
    worded.platform = platforms[request.platform] ?? request.platform;
  if ('period' in request) worded.period = periods[request.period] ?? request.period;
  if ('dateRange' in request) worded.dateRange = dateRanges[request.dateRange] ?? request.dateRange;
  if ('id' in request) worded.id = theirId(request.id, settings);
  const paging = 'page' in request ? pagingOf(request, settings) : {};
  return httpRequest({ ...request, ...worded } as WordedRequest, paging);
};

/** Query parameters that select a page, by name. */
const pagingOf = (
  { limit, page, offset, cursor }: ListRequest,
  { paging = {} }: UpstreamSettings,
): Record<string, string | number> => {
  const { style = 'page', sizeParameter = 'limit' } = paging;
  const size = { [sizeParameter]: limit };
  if (style === 'cursor')
    return cursor === undefined ? size : { ...size, [paging.parameter ?? 'cursor']: cursor };
  if (style === 'offset')
    return { ...size, [paging.parameter ?? 'offset']: (paging.first ?? 0) + offset };
  return { ...size, [paging.parameter ?? 'page']: (paging.first ?? 1) + page - 1 };
};

/** The address of the next page in the header Link. */
export const nextLink = (headers: Readonly<Record<string, string>>): string | undefined =>
  /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(headers.link ?? '')?.[1];

/** True if a service states an address instead of a cursor. */
export const isAddress = (text: string): boolean => /^(https?:|\/|\?)/.test(text);

/** The cursor in an address that a service states as the next page. */
const cursorIn = (address: string, parameter: string): string | null =>
  URL.parse(address, 'http://localhost')?.searchParams.get(parameter) ?? null;

/** The cursor of the next page; null at the end of the list, undefined without cursors. */
export const nextCursor = (
  value: unknown,
  headers: Readonly<Record<string, string>>,
  { paging = {} }: UpstreamSettings,
): string | null | undefined => {
  if (paging.style !== 'cursor') return undefined;
  const { cursor: path = '', parameter = 'cursor' } = paging;
  if (path.toLowerCase() === 'link') return cursorIn(nextLink(headers) ?? '', parameter);
  const stated = valueAt(value, path);
  if (typeof stated === 'number') return String(stated);
  if (typeof stated !== 'string' || stated === '') return null;
  return isAddress(stated) ? cursorIn(stated, parameter) : stated;
};

/** A stored request in our words: ids that were loaded before their prefix was known. */
export const requestInOurWords = (
  request: UpstreamRequest,
  settings: UpstreamSettings,
): UpstreamRequest =>
  request.kind === 'growth'
    ? { ...request, id: ourId(request.id, request.platform, settings) }
    : request;
