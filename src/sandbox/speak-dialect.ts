import { isObject, type JsonObject } from '../base/json-object.ts';
import { DialectRefusal, oursOf, ownId, ownPath, platformWords, spoken } from './dialect-words.ts';
import type { Dialect } from './dialects.ts';

/** A request below the base address, and its response. */
export interface DialectRequest {
  readonly method: string;
  /** Segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface DialectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A service that speaks our own interface. */
export type OwnService = (request: DialectRequest) => Promise<DialectResponse>;

const LARGEST_PAGE = 100;
const PAGE_ITEMS = 20;

/** Puts a value at a dotted path of an object. */
const put = (into: JsonObject, path: string, value: unknown): void => {
  const [first = '', ...rest] = path.split('.');
  const holder = into as Record<string, unknown>;
  if (rest.length === 0) holder[first] = value;
  else {
    holder[first] = isObject(holder[first]) ? holder[first] : {};
    put(holder[first] as JsonObject, rest.join('.'), value);
  }
};

const numberIn = (query: URLSearchParams, name: string, usual: number): number => {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^\d+$/.test(text)) throw new DialectRefusal(400, `${name} must be a whole number.`);
  return Number(text);
};

interface Page {
  readonly from: number;
  readonly size: number;
}

const cursorOf = (from: number): string => Buffer.from(`after:${from}`).toString('base64url');
const offsetOf = (cursor: string): number => {
  const offset = /^after:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (offset === undefined) throw new DialectRefusal(400, 'The cursor is unknown.');
  return Number(offset);
};

/** The page that a request asks for. @throws DialectRefusal */
const pageIn = (query: URLSearchParams, dialect: Dialect): Page => {
  const {
    paging = 'page',
    sizeParameter = 'limit',
    largest = LARGEST_PAGE,
    smallest = 1,
  } = dialect;
  if (dialect.isDemanding === true && !query.has(sizeParameter))
    throw new DialectRefusal(400, `${sizeParameter} is required.`);
  const asked = numberIn(query, sizeParameter, Math.min(PAGE_ITEMS, largest));
  if (asked < smallest || (asked > largest && dialect.clamps !== true))
    throw new DialectRefusal(
      400,
      dialect.isMute === true
        ? 'Bad request.'
        : `${sizeParameter} must be a whole number from ${smallest} to ${largest}.`,
    );
  const size = Math.min(asked, largest);
  if (paging === 'page') {
    const { parameter = 'page', first = 1 } = dialect;
    const page = numberIn(query, parameter, first);
    if (page < first) throw new DialectRefusal(400, `${parameter} must be from ${first}.`);
    return { size, from: (page - first) * size };
  }
  const { parameter = paging, first = 0 } = dialect;
  if (paging === 'offset') return { size, from: numberIn(query, parameter, first) - first };
  const cursor = query.get(parameter);
  return { size, from: cursor === null ? 0 : offsetOf(cursor) };
};

const DATE_RANGES = ['24h', '7d', '30d'];

/** The query of a list in our words, without its paging. @throws DialectRefusal */
const ownQuery = (query: URLSearchParams, dialect: Dialect): URLSearchParams => {
  const { parameter = dialect.paging ?? 'page', sizeParameter = 'limit' } = dialect;
  const known = ['dateRange', 'platform', 'q', parameter, sizeParameter];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined && dialect.isStrict === true)
    throw new DialectRefusal(400, `Unknown query parameter ${unknown}.`);
  const own = new URLSearchParams();
  const [q, range, platform] = ['q', 'dateRange', 'platform'].map((name) => query.get(name));
  if (typeof q === 'string') own.set('q', q);
  if (typeof range === 'string') {
    const words = { known: DATE_RANGES, words: dialect.ranges, what: 'dateRange', status: 400 };
    own.set('dateRange', dialect.ranges === undefined ? range : oursOf(range, words, dialect));
  }
  if (typeof platform === 'string')
    own.set('platform', oursOf(platform, platformWords(dialect, 400), dialect));
  return own;
};

/** Items of a list from any position, asked for in our own pages. */
const itemsFrom = async (
  { from, size }: Page,
  request: DialectRequest,
  service: OwnService,
): Promise<{ items: unknown[]; total: number; response: DialectResponse; body: JsonObject }> => {
  const askPage = async (page: number) => {
    const query = new URLSearchParams(request.query);
    query.set('limit', String(size));
    query.set('page', String(page));
    const response = await service({ ...request, query });
    return { response, body: isObject(response.body) ? response.body : {} };
  };
  const { response, body } = await askPage(Math.floor(from / size) + 1);
  const { items = [], total = 0 } = body as { items?: unknown[]; total?: number };
  const skipped = from % size;
  if (skipped === 0) return { items, total, response, body };
  const { body: after } = await askPage(Math.floor(from / size) + 2);
  const more = Array.isArray(after.items) ? after.items : [];
  return { items: [...items.slice(skipped), ...more.slice(0, skipped)], total, response, body };
};

/** The address of the next page, and its cursor. */
const nextOf = (request: DialectRequest, next: number, dialect: Dialect): [string, string] => {
  const query = new URLSearchParams(request.query);
  const cursor = cursorOf(next);
  query.set(dialect.parameter ?? 'cursor', cursor);
  return [`/v1/${request.path.map(encodeURIComponent).join('/')}?${query}`, cursor];
};

const spokenList = async (
  request: DialectRequest,
  dialect: Dialect,
  service: OwnService,
): Promise<DialectResponse> => {
  const { paging = 'page', items: itemsPath = 'items', total: totalPath = 'total' } = dialect;
  const page = pageIn(request.query, dialect);
  const own = { ...request, path: ownPath(request.path, dialect) };
  const query = ownQuery(request.query, dialect);
  const { items, total, response, body } = await itemsFrom(page, { ...own, query }, service);
  if (response.status !== 200) return response;
  const around: JsonObject = {};
  for (const name of ['page', 'asOf', 'platform', 'period'])
    if (Object.hasOwn(body, name) && (name !== 'page' || paging === 'page'))
      put(around, name, name === 'page' ? (request.query.get('page') ?? 1) : body[name]);
  if (totalPath !== '') put(around, totalPath, total);
  const next = page.from + items.length;
  const headers: Record<string, string> = { ...response.headers };
  if (paging !== 'page' && paging !== 'offset') {
    const isLast = next >= total || items.length === 0;
    const [address, cursor] = nextOf(request, next, dialect);
    const isBare = itemsPath === '' || paging === 'link';
    if (isBare && !isLast) headers.link = `<${address}>; rel="next"`;
    if (!isBare)
      put(
        around,
        dialect.cursor ?? 'cursor',
        isLast ? null : paging === 'address' ? address : cursor,
      );
  }
  const list = spoken(items, dialect);
  if (itemsPath === '') return { status: 200, headers, body: list };
  const whole = spoken(around, dialect) as JsonObject;
  put(whole, itemsPath, list);
  return { status: 200, headers, body: whole };
};

const isList = (path: readonly string[]): boolean =>
  ['feed', 'trends', 'hashtags', 'search'].includes(path[0] ?? '');

const spokenOther = async (
  request: DialectRequest,
  dialect: Dialect,
  service: OwnService,
): Promise<DialectResponse> => {
  const own = { ...request, path: ownPath(request.path, dialect) };
  const isAnalysis = request.path[0] === 'lab' && request.body !== undefined;
  const body = isAnalysis
    ? request.body?.replace(
        /"id"\s*:\s*"([^"]+)"/,
        (_, id: string) => `"id":"${ownId(id, dialect)}"`,
      )
    : request.body;
  const response = await service(body === undefined ? own : { ...own, body });
  if (response.status !== 200) return response;
  const plain = spoken(response.body, dialect);
  const isProfile = request.path[0] === 'creators';
  const whole = dialect.isWrapped === true && isProfile ? { data: plain } : plain;
  const { timeline } = dialect;
  if (timeline === undefined || request.path.at(-1) !== 'growth' || !isObject(whole))
    return { ...response, body: whole };
  const { snapshots, ...around } = whole;
  const moved: JsonObject = { ...around };
  put(moved, timeline, snapshots);
  return { ...response, body: moved };
};

/** A service that speaks a dialect, over our own service. */
export const speakDialect = (dialect: Dialect, service: OwnService): OwnService => {
  const accepted = new Set<string>();
  return async (request) => {
    const where = `/v1/${request.path.map(encodeURIComponent).join('/')}`;
    const isGrowth = request.path.at(-1) === 'growth';
    if (dialect.isAccepting === true && isGrowth && !accepted.delete(where)) {
      accepted.add(where);
      const headers = { location: where, 'retry-after': '1' };
      return { status: 202, headers, body: { status: 'accepted' } };
    }
    try {
      const speak = isList(request.path) ? spokenList : spokenOther;
      const response = await speak(request, dialect, service);
      return response.status === 429 && dialect.spentStatus !== undefined
        ? spentAs(dialect.spentStatus)
        : response;
    } catch (error) {
      if (!(error instanceof DialectRefusal)) throw error;
      if (dialect.unknown === 'ok' && error.status === 404)
        return { status: 200, headers: {}, body: { error: { message: error.message } } };
      if (dialect.unknown === 'empty' && error.status === 404 && isList(request.path))
        return { status: 200, headers: {}, body: emptyList(dialect) };
      return { status: error.status, headers: {}, body: { error: { message: error.message } } };
    }
  };
};

const emptyList = ({ items = 'items', total = 'total' }: Dialect): unknown => {
  if (items === '') return [];
  const list: JsonObject = {};
  put(list, items, []);
  if (total !== '') put(list, total, 0);
  return list;
};

const spentAs = (status: 402 | 403): DialectResponse => ({
  status,
  headers: {},
  body: { error: { code: 'quota_exceeded', message: 'The quota of this key is exhausted.' } },
});
