import { isObject, type JsonObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import { readCount, readRate, valueUnder } from '../../base/wire/fields.ts';

const DEEPEST = 4;
const ITEM_FIELDS = ['id', 'title', 'user', 'views', 'likes', 'platform', 'engagementRate'];

/** Things that a list can hold. */
export type ListedKind = 'videos' | 'hashtags' | 'points';

const has = (value: JsonObject, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(value, name));

/** Likeness of a value to a member of such a list, from 0. */
const likeness = (value: unknown, kind: ListedKind): number => {
  if (!isObject(value)) return 0;
  if (kind === 'videos')
    return Object.hasOwn(value, 'id')
      ? ITEM_FIELDS.filter((name) => Object.hasOwn(value, name)).length
      : 0;
  if (kind === 'hashtags')
    return has(value, FIELDS.hashtag.tag.names) && !Object.hasOwn(value, 'title') ? 2 : 0;
  return has(value, FIELDS.point.at.names) && has(value, FIELDS.point.views.names) ? 2 : 0;
};

/** Every value of an object outside its arrays, with its dotted path. */
function* valuesIn(value: unknown, path = '', depth = 0): Generator<[string, unknown]> {
  yield [path, value];
  if (!isObject(value) || depth >= DEEPEST) return;
  for (const [name, inner] of Object.entries(value))
    yield* valuesIn(inner, path === '' ? name : `${path}.${name}`, depth + 1);
}

/** A list in a response; `path` is '' for a bare one. */
export interface ListAt {
  readonly path: string;
  readonly list: readonly JsonObject[];
}

/** Finds the list whose members look most like what was asked for. */
export const listIn = (value: unknown, kind: ListedKind): ListAt | undefined => {
  let best: (ListAt & { score: number }) | undefined;
  for (const [path, inner] of valuesIn(value)) {
    if (!Array.isArray(inner)) continue;
    const score = inner.length === 0 ? 0.5 : likeness(inner[0], kind);
    if (score > (best?.score ?? 0)) best = { path, list: inner.filter(isObject), score };
  }
  return best;
};

const TOTAL_NAME =
  /^(total|count|matches|matched|hits|found|size|num|n)|(total|count|results|matches)$/i;

/** Paths of numbers that can be the total of a list: equal in two responses of different length. */
export const totalPaths = (
  larger: { value: unknown; length: number },
  smaller: { value: unknown; length: number },
): string[] => {
  const other = new Map(valuesIn(smaller.value));
  return [...valuesIn(larger.value)]
    .filter(([path, stated]) => {
      const name = path.slice(path.lastIndexOf('.') + 1);
      const total = readCount(stated, path, []);
      return (
        TOTAL_NAME.test(name) &&
        total !== null &&
        total >= larger.length &&
        total > smaller.length &&
        other.get(path) === stated
      );
    })
    .map(([path]) => path)
    .sort((a, b) => Number(/total/i.test(b)) - Number(/total/i.test(a)));
};

const CURSOR_NAME = /next|cursor|continu|token|after/i;

/** Text and numbers of a response that can lead to the next page, by path. */
export const cursorsIn = (value: unknown): [path: string, cursor: string][] =>
  [...valuesIn(value)].flatMap(([path, stated]): [string, string][] => {
    const isCursor =
      CURSOR_NAME.test(path) && (typeof stated === 'string' || typeof stated === 'number');
    return isCursor && stated !== '' ? [[path, String(stated)]] : [];
  });

/** The prefix that all ids have, with its separator unless that is `_`; '' without one. */
export const prefixIn = (ids: readonly string[]): string | undefined => {
  const [first] = ids;
  if (first === undefined) return undefined;
  const [, word = '', separator = ''] = /^([a-z]{1,20})([_:.-])/i.exec(first) ?? [];
  const prefix = word + separator;
  if (word === '' || !ids.every((id) => id.startsWith(prefix))) return '';
  return separator === '_' ? word : prefix;
};

const TIGHT = 1.02;
const WIDE = 5;

/** Unit of the rate by the median of rate / (likes / views); undefined if no item has all three. */
export const rateUnit = (
  items: readonly JsonObject[],
):
  | { unit: 'percent' | 'fraction' | 'other'; factor: number; items: number; isTight: boolean }
  | undefined => {
  const factors = items
    .flatMap((item) => {
      const { views, likes, engagementRate } = FIELDS.item;
      const viewCount = readCount(valueUnder(item, views.names), 'views', []);
      const likeCount = readCount(valueUnder(item, likes.names), 'likes', []);
      const rate = readRate(valueUnder(item, engagementRate.names), 'rate', []);
      return viewCount && likeCount && rate ? [(rate * viewCount) / likeCount] : [];
    })
    .sort((a, b) => a - b);
  const factor = factors[Math.floor(factors.length / 2)];
  if (factor === undefined) return undefined;
  const isNear = (unit: number, by: number): boolean => factor > unit / by && factor < unit * by;
  const unit = isNear(100, WIDE) ? 'percent' : isNear(1, WIDE) ? 'fraction' : 'other';
  const isTight = isNear(100, TIGHT) || isNear(1, TIGHT);
  return { unit, factor, items: factors.length, isTight };
};
