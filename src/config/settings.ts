import { PLATFORMS } from '../../schema/vocabulary.ts';
import { LOG_LEVELS } from '../log.ts';
import { listOf, oneOf, type TextReader, wholeNumber } from '../text-values.ts';
import { PARQUET_CODECS } from './parquet-codecs.ts';
import {
  anyText,
  dateRangeText,
  httpUrl,
  lakeName,
  ledgerUrl,
  notifyChannel,
  origin,
  price,
  quotaReset,
  schedules,
  secret,
  serviceUrl,
  shares,
  tablesUrl,
  timeZone,
} from './setting-readers.ts';
import { TIER_NAMES } from './tiers.ts';

/** One setting: where it stands, how its text is read, what holds where it is not set. */
export interface Setting<T> {
  readonly env: string;
  readonly read: TextReader<T>;
  /** Never printed: neither by a message nor by a log. */
  readonly secret?: true;
  readonly default: string | undefined;
  readonly help: string;
}

/**
 * Every setting, once: docs/reference/settings.md, the reader and its complaints are made from this list.
 * Flags win over the environment, the environment over `trendlake.config.json`, that over defaults.
 */
export const SETTINGS = {
  baseUrl: {
    env: 'TRENDLAKE_BASE_URL',
    read: serviceUrl,
    default: undefined,
    help: 'Address of the service, ending in /v1. Without it, sync runs against the built-in sandbox, and schedule only with --sandbox.',
  },
  apiKey: {
    env: 'TRENDLAKE_API_KEY',
    read: secret,
    secret: true,
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
    read: listOf(PLATFORMS),
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
    read: dateRangeText,
    default: '24h',
    help: 'dateRange of the feed.',
  },
  hashtagRange: {
    env: 'TRENDLAKE_HASHTAG_RANGE',
    read: dateRangeText,
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
    help: 'Longest wait for one response, in milliseconds.',
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
    help: 'Days that responses are kept for replay.',
  },
  eventThresholds: {
    env: 'TRENDLAKE_EVENT_THRESHOLDS',
    read: anyText,
    default: undefined,
    help: 'JSON of event thresholds that differ from the shipped ones, by platform and rule; see docs/guides/events.md.',
  },
  hookSecret: {
    env: 'TRENDLAKE_HOOK_SECRET',
    read: secret,
    secret: true,
    default: undefined,
    help: 'Shared with the upstream, whose webhooks `serve` then takes at /hooks/upstream. Stored nowhere.',
  },
  tablesUrl: {
    env: 'TRENDLAKE_TABLES_URL',
    read: tablesUrl,
    default: undefined,
    help: 'Where `publish` puts the Parquet as tables: s3://bucket/prefix or file:///folder. Once set, every export is published. See docs/guides/publish.md.',
  },
  lake: {
    env: 'TRENDLAKE_LAKE',
    read: lakeName,
    default: undefined,
    help: 'Name of this lake in the published tables, where it tells its rows from those of other lakes, and in the shared ledger.',
  },
  ledgerUrl: {
    env: 'TRENDLAKE_LEDGER_URL',
    read: ledgerUrl,
    secret: true,
    default: undefined,
    help: 'PostgreSQL that counts the calls of several machines, postgres://user:password@host/database; made by `ledger init`. Unset: each data directory counts for itself. See docs/guides/many-machines.md.',
  },
  modelUrl: {
    env: 'TRENDLAKE_MODEL_URL',
    read: httpUrl,
    default: undefined,
    help: 'Address of an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1, that words analyses. Unset: analyses are made from the numbers alone.',
  },
  modelName: {
    env: 'TRENDLAKE_MODEL_NAME',
    read: anyText,
    default: undefined,
    help: 'Which model of that endpoint to ask.',
  },
  modelKey: {
    env: 'TRENDLAKE_MODEL_KEY',
    read: secret,
    secret: true,
    default: undefined,
    help: 'Key of that endpoint, where it wants one. Stored nowhere.',
  },
  pricePer1000: {
    env: 'TRENDLAKE_PRICE_PER_1000',
    read: price,
    default: undefined,
    help: 'What 1,000 calls cost you, such as 4.50 or 4.50 EUR: plan, status and sync then say it in money.',
  },
  notify: {
    env: 'TRENDLAKE_NOTIFY',
    read: notifyChannel,
    secret: true,
    default: undefined,
    help: 'Who is told when a run failed or was partial, the quota will not last, a source went stale, a response came in another shape, a chore such as backup failed or a webhook endpoint was disabled, and when that is over: an https address (signed as other webhooks), smtps://user:password@host:465/?from=A&to=B, or a command, which is handed JSON. See docs/guides/operating.md.',
  },
  subscriptionsPerKey: {
    env: 'TRENDLAKE_SUBSCRIPTIONS_PER_KEY',
    read: wholeNumber(0, 100_000),
    default: '100',
    help: 'Webhook subscriptions that one key of `serve` may make.',
  },
  log: {
    env: 'TRENDLAKE_LOG',
    read: oneOf(LOG_LEVELS),
    default: undefined,
    help: 'Least level logged, as JSON lines: off, error, warn, info or debug (every call). Unless set: info in serve, with TRENDLAKE_LOG_FILE, and in schedule where stderr is no terminal; off elsewhere. See docs/guides/operating.md.',
  },
  logFile: {
    env: 'TRENDLAKE_LOG_FILE',
    read: anyText,
    default: undefined,
    help: 'File that log lines are appended to. Unless set: stderr.',
  },
} satisfies Record<string, Setting<unknown>>;
