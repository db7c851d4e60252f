import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  JOB_NAMES,
  type JobName,
  REFRESH_JOBS,
  type RefreshJob,
} from '../../../schema/vocabulary.ts';
import { rangeMs } from '../durations.ts';
import { isObject } from '../json-object.ts';
import { Secret } from '../secret.ts';
import { expected, type JsonSchema, type TextReader, withSchema } from '../text-values.ts';
import { postgresAddress } from './postgres-url.ts';

/** An http address without user, password or query: the key is sent only as a header. */
const plainHttpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    `${url.username}${url.password}${url.search}` === '';
  return isPlain ? url : undefined;
};

const SERVICE_URL =
  'an http or https address that ends in /v1, such as https://api.example.com/v1, without user, password or query';

export const serviceUrl: TextReader<string> = (text) => {
  const url = plainHttpUrl(text);
  const path = url?.pathname.replace(/\/+$/, '') ?? '';
  return url !== undefined && path.endsWith('/v1')
    ? { value: `${url.origin}${path}` }
    : expected(SERVICE_URL);
};

export const httpUrl: TextReader<string> = (text) =>
  plainHttpUrl(text) === undefined
    ? expected('an http or https address without user, password or query')
    : { value: text };

export const origin: TextReader<string> = (text) => {
  const url = plainHttpUrl(text.trim());
  return url !== undefined && url.href === `${url.origin}/`
    ? { value: url.origin }
    : expected('an http or https address without a path, such as https://trends.example');
};

export const timeZone: TextReader<string> = (text) => {
  if (text === 'UTC') return { value: text }; // loading other time zones takes 10 ms
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return { value: text };
  } catch {
    return expected('an IANA time zone such as UTC or Europe/Berlin');
  }
};

export const quotaReset: TextReader<string> = (text) => {
  const anchor = /^anchor:(\d{1,2})$/.exec(text);
  const day = Number(anchor?.[1]);
  if (text === 'calendar' || text === 'rolling' || (day >= 1 && day <= 31)) return { value: text };
  return expected('calendar, rolling or anchor:<day of the month, 1 to 31>');
};

export const dateRangeText: TextReader<string> = (text) =>
  rangeMs(text) === undefined
    ? expected('a span such as 24h, 7d or 4w, at most 366 days')
    : { value: text };

/** Parses a JSON object with known names and valid values; undefined otherwise. */
const recordIn = <N extends string, V>(
  text: string,
  names: readonly N[],
  isValid: (value: unknown) => value is V,
): Partial<Record<N, V>> | undefined => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(given)) return undefined;
  const record: Partial<Record<N, V>> = {};
  for (const [written, value] of Object.entries(given)) {
    const name = names.find((known) => known === written);
    if (name === undefined || !isValid(value)) return undefined;
    record[name] = value;
  }
  return record;
};

/** JSON Schema of an object with these names. */
export const recordSchema = (names: readonly string[], each: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, each])),
  additionalProperties: false,
});

const isText = (value: unknown): value is string => typeof value === 'string';
const isShare = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

export const schedules = withSchema<Partial<Record<JobName, string>>>(
  recordSchema(JOB_NAMES, { type: 'string' }),
  (text) => {
    const value = recordIn(text, JOB_NAMES, isText);
    return value === undefined
      ? expected(
          `JSON such as {"feed": "5 */2 * * *", "hashtags": "off"}; jobs: ${JOB_NAMES.join(', ')}`,
        )
      : { value };
  },
);

export const shares = withSchema<Partial<Record<RefreshJob, number>>>(
  recordSchema(REFRESH_JOBS, { type: 'integer', minimum: 0, maximum: 100 }),
  (text) => {
    const value = recordIn(text, REFRESH_JOBS, isShare) ?? {};
    const sum = Object.values(value).reduce((total, share) => total + share, 0);
    return sum > 0 && sum <= 100
      ? { value }
      : expected(
          `JSON such as {"growth": 70, "creators": 30}: whole percents, together from 1 to 100; jobs: ${REFRESH_JOBS.join(', ')}`,
        );
  },
);

const TABLES_URL = 's3://bucket/prefix or file:///folder';

export const tablesUrl: TextReader<string> = (text) => {
  const url = URL.parse(text);
  if (url === null) return expected(TABLES_URL);
  const { protocol, host, username, password, search, hash } = url;
  const isS3 = protocol === 's3:' && host !== '';
  const isFile = protocol === 'file:' && host === '';
  return (isS3 || isFile) && `${username}${password}${search}${hash}` === ''
    ? { value: text.replace(/\/+$/, '') }
    : expected(TABLES_URL);
};

/** A folder or `s3://bucket/prefix`, as the address of a store. */
export const backupsUrl: TextReader<string> = (text) => {
  if (text.startsWith('s3://') || text.startsWith('file://')) return tablesUrl(text);
  return text.trim() === ''
    ? expected('a folder, or s3://bucket/prefix')
    : { value: pathToFileURL(resolve(text.trim())).href };
};

/** Address of the shared ledger, which may contain a password. */
export const ledgerUrl: TextReader<Secret> = (text) => {
  const address = postgresAddress(text.trim());
  if (address === undefined)
    return expected(
      'postgres://user:password@host/database, with commas between several hosts and ?schema=<name> for another schema than trendlake',
    );
  return address.isGuarded
    ? { value: new Secret(text.trim()) }
    : expected(
        'an address with TLS, because its host is another machine: add ?sslmode=verify-full, or ?sslmode=disable if you trust the network with the password',
      );
};

export const lakeName: TextReader<string> = (text) =>
  /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)
    ? { value: text }
    : expected('1 to 63 characters of a-z, 0-9, - and _, such as berlin');

export const shellCommand: TextReader<Secret> = (text) =>
  text.trim() === '' ? expected('a shell command') : { value: new Secret(text.trim()) };

/** Address of a monitor. Its path or query holds a token. */
export const heartbeatUrl: TextReader<Secret> = (text) =>
  /^https?:$/.test(URL.parse(text.trim())?.protocol ?? '')
    ? { value: new Secret(text.trim()) }
    : expected('an http or https address such as https://hc-ping.com/<uuid>');

export const anyText: TextReader<string> = (text) => ({ value: text });
export const secret: TextReader<Secret> = (text) =>
  /^[!-~]+$/.test(text.trim())
    ? { value: new Secret(text.trim()) }
    : expected('printable ASCII without spaces');

/** Price of 1,000 calls. `currency` is '' if not given. */
export interface Price {
  readonly per1000: number;
  readonly currency: string;
}

export const price: TextReader<Price> = (text) => {
  const [, amount = '', currency = ''] =
    /^(\d{1,9}(?:\.\d{1,6})?)\s*(\p{Sc}|[A-Z]{3})?$/u.exec(text.trim()) ?? [];
  return amount === ''
    ? expected('an amount such as 4.50, or 4.50 EUR')
    : { value: { per1000: Number(amount), currency } };
};
