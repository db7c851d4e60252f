import {
  JOB_NAMES,
  type JobName,
  LOOK_JOBS,
  type LookJob,
  PLATFORMS,
  type Platform,
} from '../schema/vocabulary.ts';
import { rangeMs } from './durations.ts';
import { LOG_LEVELS } from './log.ts';
import { PARQUET_CODECS } from './parquet-codecs.ts';
import { Secret } from './secret.ts';
import { TIER_NAMES } from './tiers.ts';

/** A setting's text read, or what it should have been. */
export type Reading<T> = { ok: T } | { expected: string };
const refuse = (expected: string): Reading<never> => ({ expected });

const wholeNumber =
  (min: number, max: number) =>
  (text: string): Reading<number> => {
    const value = Number(text);
    return /^\d+$/.test(text.trim()) && value >= min && value <= max
      ? { ok: value }
      : refuse(`a whole number from ${min} to ${max}`);
  };

const oneOf =
  <T extends string>(allowed: readonly T[]) =>
  (text: string): Reading<T> =>
    allowed.includes(text as T) ? { ok: text as T } : refuse(`one of ${allowed.join(', ')}`);

const baseUrl = (text: string): Reading<string> => {
  const expected = 'an http or https address that ends in /v1, such as https://api.example.com/v1';
  if (!URL.canParse(text)) return refuse(expected);
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '')
    return refuse(expected);
  const path = url.pathname.replace(/\/+$/, '');
  return path.endsWith('/v1') ? { ok: `${url.origin}${path}` } : refuse(expected);
};

const origin = (text: string): Reading<string> => {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
    ? { ok: url.origin }
    : refuse('an http or https address without a path, such as https://trends.example');
};

const platformList = (text: string): Reading<Platform[]> => {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known = names.every((name) => PLATFORMS.includes(name as Platform));
  return names.length > 0 && known
    ? { ok: [...new Set(names)] as Platform[] }
    : refuse(`a comma list of ${PLATFORMS.join(', ')}`);
};

const timeZone = (text: string): Reading<string> => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return { ok: text };
  } catch {
    return refuse('an IANA time zone such as UTC or Europe/Berlin');
  }
};

const quotaReset = (text: string): Reading<string> => {
  const anchor = /^anchor:(\d{1,2})$/.exec(text);
  const day = Number(anchor?.[1]);
  if (text === 'calendar' || text === 'rolling' || (day >= 1 && day <= 31)) return { ok: text };
  return refuse('calendar, rolling or anchor:<day of the month, 1 to 31>');
};

const dateRange = (text: string): Reading<string> =>
  rangeMs(text) === undefined
    ? refuse('a span such as 24h, 7d or 4w, at most 366 days')
    : { ok: text };

const objectIn = (text: string): [string, unknown][] | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : undefined;
  } catch {
    return undefined;
  }
};

const schedules = (text: string): Reading<Partial<Record<JobName, string>>> => {
  const entries = objectIn(text);
  const known = entries?.every(
    ([job, cron]) => JOB_NAMES.includes(job as JobName) && typeof cron === 'string',
  );
  return entries !== undefined && known
    ? { ok: Object.fromEntries(entries) as Partial<Record<JobName, string>> }
    : refuse(
        `JSON such as {"feed": "5 */2 * * *", "hashtags": "off"}; jobs: ${JOB_NAMES.join(', ')}`,
      );
};

const shares = (text: string): Reading<Partial<Record<LookJob, number>>> => {
  const entries = objectIn(text);
  const known = entries?.every(
    ([job, share]) =>
      LOOK_JOBS.includes(job as LookJob) && Number.isInteger(share) && (share as number) >= 0,
  );
  const given = Object.fromEntries(entries ?? []) as Partial<Record<LookJob, number>>;
  const sum = Object.values(given).reduce((total, share) => total + share, 0);
  return known && sum > 0 && sum <= 100
    ? { ok: given }
    : refuse(
        `JSON such as {"growth": 70, "creators": 30}: whole percents, together from 1 to 100; jobs: ${LOOK_JOBS.join(', ')}`,
      );
};

const tablesUrl = (text: string): Reading<string> => {
  const expected = 's3://bucket/prefix or file:///folder';
  if (!URL.canParse(text)) return refuse(expected);
  const { protocol, host, username, search, hash } = new URL(text);
  const isS3 = protocol === 's3:' && host !== '';
  const isFile = protocol === 'file:' && host === '';
  return (isS3 || isFile) && username === '' && search === '' && hash === ''
    ? { ok: text.replace(/\/+$/, '') }
    : refuse(expected);
};

const lakeName = (text: string): Reading<string> =>
  /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)
    ? { ok: text }
    : refuse('1 to 63 characters of a-z, 0-9, - and _, such as berlin');

const anyText = (text: string): Reading<string> => ({ ok: text });
const secret = (text: string): Reading<Secret> =>
  /^[!-~]+$/.test(text.trim())
    ? { ok: new Secret(text.trim()) }
    : refuse('printable ASCII without blanks');

/**
 * Every setting, once: the README's table, the help text and the reader are made from this list.
 * Flags win over the environment, the environment over `trendlake.config.json`, that over defaults.
 */
export const SETTINGS = {
  baseUrl: {
    env: 'TRENDLAKE_BASE_URL',
    read: baseUrl,
    default: undefined,
    help: 'Address of the service, ending in /v1. Without it, sync runs against the built-in sandbox.',
  },
  apiKey: {
    env: 'TRENDLAKE_API_KEY',
    read: secret,
    default: undefined,
    help: 'Your key. Sent to the base URL only, stored nowhere.',
  },
  tier: {
    env: 'TRENDLAKE_TIER',
    read: oneOf(TIER_NAMES),
    default: 'beta',
    help: 'Tier of the key: beta (60/min, 50,000/month), scale (300/min, 500,000/month) or enterprise (give both numbers).',
  },
  ratePerMinute: {
    env: 'TRENDLAKE_RATE_PER_MINUTE',
    read: wholeNumber(1, 100_000),
    default: undefined,
    help: 'Calls per minute, where the key has its own number.',
  },
  callsPerMonth: {
    env: 'TRENDLAKE_CALLS_PER_MONTH',
    read: wholeNumber(1, 1_000_000_000),
    default: undefined,
    help: 'Calls per month, where the key has its own number.',
  },
  quotaReset: {
    env: 'TRENDLAKE_QUOTA_RESET',
    read: quotaReset,
    default: 'calendar',
    help: 'When the month starts anew: calendar (1st, UTC), anchor:<day> or rolling (30 days).',
  },
  platforms: {
    env: 'TRENDLAKE_PLATFORMS',
    read: platformList,
    default: PLATFORMS.join(','),
    help: 'Platforms to pull, a comma list.',
  },
  dataDir: {
    env: 'TRENDLAKE_DATA_DIR',
    read: anyText,
    default: 'data',
    help: 'Folder of the lake: trendlake.db and parquet/.',
  },
  timezone: {
    env: 'TRENDLAKE_TIMEZONE',
    read: timeZone,
    default: 'UTC',
    help: 'Time zone of the cron expressions.',
  },
  feedRange: {
    env: 'TRENDLAKE_FEED_RANGE',
    read: dateRange,
    default: '24h',
    help: 'dateRange of the feed.',
  },
  hashtagRange: {
    env: 'TRENDLAKE_HASHTAG_RANGE',
    read: dateRange,
    default: '30d',
    help: 'dateRange of the hashtags.',
  },
  listItems: {
    env: 'TRENDLAKE_LIST_ITEMS',
    read: wholeNumber(1, 10_000),
    default: '200',
    help: 'How deep to read each list; every 100 items cost a call.',
  },
  growthCalls: {
    env: 'TRENDLAKE_GROWTH_CALLS',
    read: wholeNumber(0, 100_000),
    default: undefined,
    help: 'Most growth timelines to ask for in one run. Unless set: in sync what fits into a minute beside the lists (at most 100), in schedule what the budget allows.',
  },
  creatorCalls: {
    env: 'TRENDLAKE_CREATOR_CALLS',
    read: wholeNumber(0, 100_000),
    default: undefined,
    help: 'Most creator profiles to ask for in one run. Unless set: in sync what fits into a minute beside the lists (at most 30), in schedule what the budget allows.',
  },
  reservePercent: {
    env: 'TRENDLAKE_RESERVE_PERCENT',
    read: wholeNumber(0, 90),
    default: '5',
    help: 'Percent of the month kept for people who ask by hand.',
  },
  shares: {
    env: 'TRENDLAKE_SHARES',
    read: shares,
    default: '{"growth":70,"creators":30}',
    help: 'How growth and creators share what the lists and the reserve leave, in percent, as JSON.',
  },
  schedules: {
    env: 'TRENDLAKE_SCHEDULES',
    read: schedules,
    default: '{}',
    help: 'Cron expressions of jobs, where they differ from their own, as JSON; "off" leaves one out.',
  },
  concurrency: {
    env: 'TRENDLAKE_CONCURRENCY',
    read: wholeNumber(1, 64),
    default: '4',
    help: 'Calls in flight at once.',
  },
  timeoutMs: {
    env: 'TRENDLAKE_TIMEOUT_MS',
    read: wholeNumber(100, 600_000),
    default: '30000',
    help: 'Longest wait for one answer, in milliseconds.',
  },
  publicUrl: {
    env: 'TRENDLAKE_PUBLIC_URL',
    read: origin,
    default: undefined,
    help: 'Where people reach `serve` from outside, such as https://trends.example: a Host it is asked by, its links, an origin whose pages may read it.',
  },
  parquetCodec: {
    env: 'TRENDLAKE_PARQUET_CODEC',
    read: oneOf(PARQUET_CODECS),
    default: 'zstd',
    help: 'How Parquet pages are compressed: zstd, or snappy or gzip for readers of before 2019. Another than before rewrites every file.',
  },
  retentionDays: {
    env: 'TRENDLAKE_RETENTION_DAYS',
    read: wholeNumber(0, 36_500),
    default: '30',
    help: 'Days that answers are kept for replay.',
  },
  eventThresholds: {
    env: 'TRENDLAKE_EVENT_THRESHOLDS',
    read: anyText,
    default: undefined,
    help: 'JSON of event thresholds that differ from the shipped ones, by platform and rule; see docs/events.md.',
  },
  hookSecret: {
    env: 'TRENDLAKE_HOOK_SECRET',
    read: secret,
    default: undefined,
    help: 'Shared with the upstream, whose webhooks `serve` then takes at /hooks/upstream. Stored nowhere.',
  },
  tablesUrl: {
    env: 'TRENDLAKE_TABLES_URL',
    read: tablesUrl,
    default: undefined,
    help: 'Where `publish` puts the Parquet as tables: s3://bucket/prefix or file:///folder. Once set, every export is published. See docs/outgrow.md.',
  },
  lake: {
    env: 'TRENDLAKE_LAKE',
    read: lakeName,
    default: undefined,
    help: 'Name of this lake in the published tables, where it tells its rows from those of other lakes.',
  },
  log: {
    env: 'TRENDLAKE_LOG',
    read: oneOf(LOG_LEVELS),
    default: undefined,
    help: 'Least level logged, as JSON lines: off, error, warn, info or debug (every call). Unless set: info in serve, with TRENDLAKE_LOG_FILE, and in schedule where stderr is no terminal; off elsewhere. See docs/operating.md.',
  },
  logFile: {
    env: 'TRENDLAKE_LOG_FILE',
    read: anyText,
    default: undefined,
    help: 'File that log lines are appended to. Unless set: stderr.',
  },
} as const;
