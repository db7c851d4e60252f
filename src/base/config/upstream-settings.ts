import { PERIODS, type Period, PLATFORMS, type Platform } from '../../../schema/vocabulary.ts';
import { isObject, type JsonObject } from '../json-object.ts';
import { didYouMean } from '../nearest.ts';
import { expected, type JsonSchema, type TextReader, withSchema } from '../text-values.ts';

const PAGING_STYLES = ['page', 'offset', 'cursor'] as const;
export type PagingStyle = (typeof PAGING_STYLES)[number];
const RATE_UNITS = ['percent', 'fraction'] as const;

/** One dotted path such as `data.items`, or several in the order they are tried. */
type Paths = string | readonly string[];

/**
 * The words, paging and units of the upstream where they differ from ours. A missing field means the
 * default of docs/reference/upstream.md.
 */
export interface UpstreamSettings {
  /** Our platform names, with the names used in paths and responses. */
  readonly platforms?: Readonly<Partial<Record<Platform, string>>>;
  readonly periods?: Readonly<Partial<Record<Period, string>>>;
  /** Without the underscore. '' for ids without a prefix. */
  readonly idPrefixes?: Readonly<Partial<Record<Platform, string>>>;
  readonly paging?: {
    readonly style?: PagingStyle;
    /** Query parameter that selects the page. */
    readonly parameter?: string;
    /** Value of the first page: 1 by default, 0 for offsets. */
    readonly first?: number;
    readonly sizeParameter?: string;
    /** Most items of one page. */
    readonly largest?: number;
    /** Path of the next cursor in a response, or `Link` for the header. */
    readonly cursor?: string;
  };
  readonly lists?: { readonly items?: Paths; readonly total?: Paths };
  readonly dateRanges?: Readonly<Record<string, string>>;
  readonly engagementRate?: (typeof RATE_UNITS)[number];
  readonly growth?: { readonly items?: Paths };
  /** Statuses that mean a spent quota. */
  readonly spentStatuses?: readonly number[];
}

/** Settings that decide the pages of a list. */
export interface PageConfig {
  readonly listItems: number;
  readonly upstream?: UpstreamSettings;
}

const LARGEST_PAGE = 100;

/** Items asked for on one page. */
export const pageItems = ({ listItems, upstream }: PageConfig): number =>
  Math.min(upstream?.paging?.largest ?? LARGEST_PAGE, listItems);

/** Checks a value; the problem as the end of "must be", or undefined. */
type Check = ((value: unknown) => string | undefined) & { readonly schema: JsonSchema };

const when = (isRight: (value: unknown) => boolean, problem: string, schema: JsonSchema): Check =>
  Object.assign((value: unknown) => (isRight(value) ? undefined : problem), { schema });

const isText = (value: unknown): value is string =>
  typeof value === 'string' && /^[!-~]{1,64}$/.test(value);
const isPath = (value: unknown): boolean =>
  typeof value === 'string' && /^[^.\s]{1,64}(\.[^.\s]{1,64}){0,7}$/.test(value);
const isWhole = (value: unknown, min: number, max: number): boolean =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

const TEXT = { type: 'string' };
const token = when(isText, 'text of 1 to 64 printable characters without blanks', TEXT);
const path = when(isPath, 'a path such as "data.items"', TEXT);
const paths = when(
  (value) => isPath(value) || (Array.isArray(value) && value.length > 0 && value.every(isPath)),
  'a path such as "data.items", or a list of paths',
  { type: ['string', 'array'], items: TEXT, minItems: 1 },
);
const oneOfThese = (names: readonly string[]): Check =>
  when((value) => names.some((name) => name === value), names.join(' or '), { enum: names });
const whole = (min: number, max: number): Check =>
  when((value) => isWhole(value, min, max), `a whole number from ${min} to ${max}`, {
    type: 'integer',
    minimum: min,
    maximum: max,
  });

const shortText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
};

/** Problems of an object with these fields, each under its path. */
const problemsIn = (
  value: unknown,
  fields: Readonly<Record<string, Check | Fields>>,
  where: string,
): string[] => {
  if (!isObject(value)) return [`${where} must be an object, and is ${shortText(value)}`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const here = where === UPSTREAM ? name : `${where}.${name}`;
    if (field === undefined)
      return [`${where} has no field ${name}.${didYouMean(name, Object.keys(fields))}`];
    if (typeof field !== 'function') return problemsIn(inner, field, here);
    const problem = field(inner);
    return problem === undefined ? [] : [`${here} must be ${problem}, and is ${shortText(inner)}`];
  });
};

interface Fields {
  readonly [name: string]: Check | Fields;
}

const UPSTREAM = 'upstream';
const each = (names: readonly string[], check: Check): Fields =>
  Object.fromEntries(names.map((name) => [name, check]));

const FIELDS: Fields = {
  platforms: each(PLATFORMS, token),
  periods: each(PERIODS, token),
  idPrefixes: each(
    PLATFORMS,
    when(
      (value) => value === '' || isText(value),
      'text of up to 64 characters without blanks',
      TEXT,
    ),
  ),
  paging: {
    style: oneOfThese(PAGING_STYLES),
    parameter: token,
    first: whole(0, 1),
    sizeParameter: token,
    largest: whole(1, 10_000),
    cursor: path,
  },
  lists: { items: paths, total: paths },
  dateRanges: when(
    (value) => isObject(value) && Object.values(value).every(isText),
    'an object such as {"24h": "1d"}',
    { type: 'object', additionalProperties: TEXT },
  ),
  engagementRate: oneOfThese(RATE_UNITS),
  growth: { items: paths },
  spentStatuses: when(
    (value) => Array.isArray(value) && value.every((status) => isWhole(status, 400, 599)),
    'a list of statuses from 400 to 599, such as [402]',
    { type: 'array', items: { type: 'integer', minimum: 400, maximum: 599 } },
  ),
};

const schemaOf = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      typeof field === 'function' ? field.schema : schemaOf(field),
    ]),
  ),
  additionalProperties: false,
});

const repeated = (value: JsonObject, field: string): string[] => {
  const words = isObject(value[field]) ? Object.values(value[field]) : [];
  const twice = words.find((word, index) => word !== '' && words.indexOf(word) < index);
  return twice === undefined ? [] : [`${field} has ${shortText(twice)} twice`];
};

const disagreementsIn = (value: JsonObject): string[] => {
  const paging = isObject(value.paging) ? value.paging : {};
  const lacksPath = paging.style === 'cursor' && paging.cursor === undefined;
  return [
    ...['platforms', 'periods', 'idPrefixes'].flatMap((field) => repeated(value, field)),
    ...(lacksPath ? ['paging.cursor must be set for the style cursor, such as "meta.next"'] : []),
  ];
};

/** Reads the settings of the upstream's words from JSON. */
export const upstreamSettings: TextReader<UpstreamSettings> = withSchema<UpstreamSettings>(
  schemaOf(FIELDS),
  (text) => {
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch {
      return expected('JSON such as {"platforms": {"instagram": "reels"}}');
    }
    const problems = problemsIn(given, FIELDS, UPSTREAM);
    if (isObject(given) && problems.length === 0) problems.push(...disagreementsIn(given));
    return problems.length === 0
      ? { value: given as UpstreamSettings }
      : expected(
          `JSON such as {"platforms": {"instagram": "reels"}} (${problems.join('; ')}). See docs/reference/upstream.md`,
        );
  },
);
