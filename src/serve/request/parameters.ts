import { z } from '@hono/zod-openapi';
import { EVENT_KINDS, PERIODS, PLATFORMS } from '../../../schema/vocabulary.ts';
import { HOUR_MS, rangeMs } from '../../base/durations.ts';
import { parseIso } from '../../base/iso.ts';
import {
  oneOf as nameOf,
  wholeNumber as numberFrom,
  type TextReader,
} from '../../base/text-values.ts';
import { RISING_LISTS } from '../../learn/forecast/shapes.ts';
import { HORIZONS } from '../../learn/model/horizons.ts';
import { refusedParameters } from '../http/problems.ts';

// Query and path parameters. Errors state the expected value. A repeated parameter is a list, and invalid.

const LONGEST_SHOWN = 60;

const got = (input: unknown): string => {
  if (Array.isArray(input)) return `was given ${input.length} times`;
  const text = String(input);
  return `got "${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}"`;
};

const text = (expected: string) =>
  z.string({
    error: ({ input }) =>
      input === undefined ? `Is required: ${expected}.` : `Expected ${expected}; ${got(input)}.`,
  });

const read = <T>(expected: string, parse: (value: string) => T | undefined) =>
  text(expected).transform((value, context): T => {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: `Expected ${expected}; ${got(value)}.` });
    return z.NEVER;
  });

const valueBy =
  <T>(reader: TextReader<T>) =>
  (value: string): T | undefined => {
    const parsed = reader(value);
    return 'value' in parsed ? parsed.value : undefined;
  };

const oneOf = <T extends string>(known: readonly T[]) => valueBy(nameOf(known));

/** Accepts one spelling per number, so that equal requests share a cache entry. */
const wholeNumber = (min: number, max: number) => {
  const number = valueBy(numberFrom(min, max));
  return (value: string) => (/^(0|[1-9]\d*)$/.test(value) ? number(value) : undefined);
};

/** Accepts the blank that an unencoded `+` of a time zone becomes. */
const instantOf = (value: string): number | undefined =>
  parseIso(value.replace(/(:\d\d(?:[.,]\d+)?) (\d\d(?::?\d\d)?)$/, '$1+$2'));

const inQuery = (name: string, description: string) => ({
  param: { name, in: 'query' as const, description },
});
const inPath = (name: string, description: string) => ({
  param: { name, in: 'path' as const, description },
});

const count = (expected: string, maximum: number, usual: number) =>
  read(expected, wholeNumber(1, maximum))
    .optional()
    .transform((value) => value ?? usual);
const counted = (maximum: number, usual: number) =>
  ({ type: 'integer', minimum: 1, maximum, default: usual }) as const;

export const limit = count('a whole number from 1 to 100', 100, 50).openapi({
  ...inQuery('limit', 'Items on a page.'),
  ...counted(100, 50),
  example: 10,
});

const LAST = Number.MAX_SAFE_INTEGER;
export const page = count('a whole number from 1', LAST, 1).openapi({
  ...inQuery('page', 'Page number, from 1. A page past the end is empty but has the total.'),
  ...counted(LAST, 1),
  example: 1,
});

/** A requested window. Pulled lists are stored by its token. */
export interface RequestedWindow {
  readonly token: string;
  readonly windowMs: number;
}

const RANGE = 'a span such as 24h, 7d or 4w, at most 366 days';
const windowOf = (token: string): RequestedWindow | undefined => {
  const windowMs = rangeMs(token);
  return windowMs === undefined ? undefined : { token, windowMs };
};
const range = (fallback: string | undefined) => ({
  ...inQuery(
    'dateRange',
    `Rolling window: a number of hours (h), days (d) or weeks (w), at most 366 days.${fallback === undefined ? ' Default: all time.' : ''}`,
  ),
  type: 'string' as const,
  pattern: '^[1-9][0-9]{0,4}[hdw]$',
  example: fallback ?? '7d',
  ...(fallback === undefined ? {} : { default: fallback }),
});

export const dateRange = (fallback: string) =>
  read(RANGE, windowOf)
    .optional()
    .transform((value) => value ?? (windowOf(fallback) as RequestedWindow))
    .openapi(range(fallback));

export const openDateRange = read(RANGE, windowOf).optional().openapi(range(undefined));

const INSTANT = 'an ISO 8601 instant such as 2026-03-01T12:00:00Z';
const instantParameter = (name: string, description: string) =>
  read(INSTANT, instantOf)
    .optional()
    .openapi({
      ...inQuery(name, description),
      type: 'string',
      format: 'date-time',
      example: '2026-03-01T12:00:00Z',
    });

export const asOf = instantParameter(
  'asOf',
  'Extension: responds as the service would have at this instant. ISO 8601, UTC unless it has an offset. Default, and for future instants: now.',
);
/** Start or end of a comparison: an instant in Unix ms, or a span before now. */
export const instantOrSpan = read(
  `${INSTANT}, or a span such as 24h or 7d`,
  (value) => instantOf(value) ?? windowOf(value),
).optional();
export const since = instantParameter('since', 'Only events at or after this instant.');

const choice = <T extends string>(names: readonly T[]) =>
  read(`one of ${names.join(', ')}`, oneOf(names));
const named = (names: readonly string[], example: string) => ({
  type: 'string' as const,
  enum: [...names],
  example,
});

export const platformQuery = choice(PLATFORMS)
  .optional()
  .openapi({
    ...inQuery('platform', 'Only this platform. Default: all.'),
    ...named(PLATFORMS, 'tiktok'),
  });
export const platformPath = choice(PLATFORMS).openapi({
  ...inPath('platform', 'A social video platform.'),
  ...named(PLATFORMS, 'tiktok'),
});

export const periodPath = choice(PERIODS).openapi({
  ...inPath('period', 'Rolling window: 24 hours, 7 days or 30 days.'),
  ...named(PERIODS, 'week'),
});

const LISTS = '`next`: videos not yet in the top 10 % by growth. `risen`: videos already there.';
export const risingList = choice(RISING_LISTS)
  .optional()
  .transform((value) => value ?? 'next')
  .openapi({ ...inQuery('list', LISTS), ...named(RISING_LISTS, 'next'), default: 'next' });

const HORIZON_NAMES = HORIZONS.map((hours) => `${hours}h`);
export const horizon = read(`one of ${HORIZON_NAMES.join(', ')}`, (value) =>
  HORIZONS.find((hours) => hours * HOUR_MS === rangeMs(value)),
)
  .optional()
  .transform((value) => value ?? 24)
  .openapi({
    ...inQuery('horizon', 'Forecast horizon.'),
    ...named(HORIZON_NAMES, '24h'),
    default: '24h',
  });

/** Tag of watches; undefined for all. */
export const tag = z.string().max(200).optional().openapi(inQuery('tag', 'Tag of a watch.'));

export const eventKind = choice(EVENT_KINDS)
  .optional()
  .openapi({
    ...inQuery('kind', 'Only events of this kind.'),
    ...named(EVENT_KINDS, 'trend.spike'),
  });

const QUERY = '1 to 200 characters of search text';
export const searchText = read(QUERY, (value) => {
  const length = [...value].length;
  return value.trim() !== '' && length <= 200 ? value : undefined;
}).openapi({
  ...inQuery(
    'q',
    'Search words, all required. Supports "phrases", prefix* and -excluded. Searches titles, handles and hashtags.',
  ),
  type: 'string',
  minLength: 1,
  maxLength: 200,
  example: 'street food -vlog',
});

export const idPath = text('a video id').openapi({
  ...inPath('id', 'Video id from search, feed or trends.'),
  minLength: 1,
  maxLength: 128,
  example: 'tt_7240348510065823002',
});

export const handlePath = text('a handle').openapi({
  ...inPath('handle', 'Handle of the creator, with or without a leading @.'),
  minLength: 1,
  example: 'dance.daily',
});

/** @throws RefusedError that names each invalid parameter */
export const checkedParameters = <S extends z.ZodObject>(
  target: 'param' | 'query',
  schema: S,
  given: object,
): z.infer<S> => {
  const result = schema.safeParse(given);
  if (!result.success) throw refusedParameters(target, result.error.issues);
  return result.data;
};
