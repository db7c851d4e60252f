import { DAY_MS } from '../durations.ts';
import { isObject } from '../json-object.ts';
import { expected, withSchema } from '../text-values.ts';
import { recordSchema } from './setting-readers.ts';

/** Milliseconds of full resolution, and of one day's first, last and peak after it; undefined: forever. */
export interface KeepSpans {
  readonly full?: number;
  readonly daily?: number;
}

/** Ages in milliseconds at which rows are thinned and removed. What is missing stays forever. */
export interface KeepSettings {
  readonly snapshots?: KeepSpans;
  readonly rankings?: KeepSpans;
  readonly events?: number;
  readonly forecasts?: number;
  readonly calls?: number;
}

/** The longest window of lists is 30 days, and a change compares two of them. */
const LEAST_DAYS = 62;
const DAYS = { d: 1, w: 7, y: 365 } as const;
const EXAMPLE = '{"snapshots": {"full": "180d", "daily": "3y"}, "events": "5y"}';
const THINNED = ['snapshots', 'rankings'];
const REMOVED = ['events', 'forecasts', 'calls'];

/** @throws SyntaxError saying which field is wrong */
const spanOf = (name: string, value: unknown): number => {
  const [, number, unit] = /^([1-9]\d{0,4})([dwy])$/.exec(String(value)) ?? [];
  const days = Number(number) * (DAYS[unit as keyof typeof DAYS] ?? Number.NaN);
  if (!(days >= LEAST_DAYS))
    throw new SyntaxError(
      `${name} must be a span of at least ${LEAST_DAYS} days, such as "180d" or "3y"`,
    );
  return days * DAY_MS;
};

const spansOf = (name: string, value: unknown): KeepSpans => {
  if (!isObject(value)) throw new SyntaxError(`${name} must be an object with full and daily`);
  const unknown = Object.keys(value).find((field) => field !== 'full' && field !== 'daily');
  if (unknown !== undefined) throw new SyntaxError(`${name}.${unknown} is unknown`);
  const spans = Object.fromEntries(
    Object.entries(value).map(([field, span]) => [field, spanOf(`${name}.${field}`, span)]),
  ) as KeepSpans;
  if (spans.full !== undefined && spans.daily !== undefined && spans.daily < spans.full)
    throw new SyntaxError(`${name}.daily must not be shorter than ${name}.full`);
  return spans;
};

const SPAN = { type: 'string', pattern: '^[1-9][0-9]{0,4}[dwy]$' };
const SCHEMA = {
  type: 'object',
  properties: {
    ...Object.fromEntries(THINNED.map((name) => [name, recordSchema(['full', 'daily'], SPAN)])),
    ...Object.fromEntries(REMOVED.map((name) => [name, SPAN])),
  },
  additionalProperties: false,
};

/** Reads `TRENDLAKE_KEEP`. */
export const keepSettings = withSchema<KeepSettings>(SCHEMA, (text) => {
  try {
    const given: unknown = JSON.parse(text);
    if (!isObject(given)) return expected(`JSON such as ${EXAMPLE}`);
    return {
      value: Object.fromEntries(
        Object.entries(given).map(([name, value]) => {
          if (THINNED.includes(name)) return [name, spansOf(name, value)];
          if (REMOVED.includes(name)) return [name, spanOf(name, value)];
          throw new SyntaxError(`${name} is unknown`);
        }),
      ),
    };
  } catch (error) {
    return expected(`JSON such as ${EXAMPLE} (${error instanceof Error ? error.message : error})`);
  }
});
