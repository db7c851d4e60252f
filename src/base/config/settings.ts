import { PLATFORMS } from '../../../schema/vocabulary.ts';
import { LOG_LEVELS } from '../log.ts';
import { listOf, oneOf, type TextReader, trueOrFalse, wholeNumber } from '../text-values.ts';
import { keepSettings } from './keep-setting.ts';
import { notifyTargets } from './notify-targets.ts';
import { PARQUET_CODECS } from './parquet-codecs.ts';
import { reportSetting } from './report-setting.ts';
import {
  anyText,
  backupsUrl,
  dateRangeText,
  heartbeatUrl,
  httpUrl,
  lakeName,
  ledgerUrl,
  origin,
  price,
  quotaReset,
  schedules,
  secret,
  serviceUrl,
  shares,
  shellCommand,
  tablesUrl,
  timeZone,
} from './setting-readers.ts';
import { TIER_NAMES } from './tiers.ts';
import { upstreamSettings } from './upstream-settings.ts';

export interface Setting<T> {
  readonly env: string;
  readonly read: TextReader<T>;
  /** Never printed or logged. */
  readonly secret?: true;
  readonly default: string | undefined;
  readonly help: string;
}

/** All settings. `npm run docs settings` generates docs/reference/settings.md from them. */
export const SETTINGS = {
  baseUrl: {
    env: 'TRENDLAKE_BASE_URL',
    read: serviceUrl,
    default: undefined,
    help: 'Address of the API, ending in /v1. Unset: sync uses the built-in sandbox, and schedule needs --sandbox.',
  },
  apiKey: {
    env: 'TRENDLAKE_API_KEY',
    read: secret,
    secret: true,
    default: undefined,
    help: 'Your key. Sent to the base URL only and stored nowhere.',
  },
  upstream: {
    env: 'TRENDLAKE_UPSTREAM',
    read: upstreamSettings,
    default: '{}',
    help: 'Words, paging and units of the API where they differ from the defaults, as JSON. `probe --write` finds them. See docs/reference/upstream.md.',
  },
  tier: {
    env: 'TRENDLAKE_TIER',
    read: oneOf(TIER_NAMES),
    default: 'beta',
    help: 'Tier of the key: beta (60/min, 50,000/month), scale (300/min, 500,000/month) or enterprise (set both numbers).',
  },
  ratePerMinute: {
    env: 'TRENDLAKE_RATE_PER_MINUTE',
    read: wholeNumber(1, 100_000),
    default: undefined,
    help: 'Calls per minute, if different from the tier.',
  },
  callsPerMonth: {
    env: 'TRENDLAKE_CALLS_PER_MONTH',
    read: wholeNumber(1, 1_000_000_000),
    default: undefined,
    help: 'Calls per month, if different from the tier.',
  },
  quotaReset: {
    env: 'TRENDLAKE_QUOTA_RESET',
    read: quotaReset,
    default: 'calendar',
    help: 'Start of the month: calendar (1st, UTC), anchor:<day> or rolling (30 days).',
  },
  platforms: {
    env: 'TRENDLAKE_PLATFORMS',
    read: listOf(PLATFORMS),
    default: PLATFORMS.join(','),
    help: 'Platforms to pull, separated by commas.',
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
    help: 'Items to read of each list. Every 100 items cost a call.',
  },
  growthCalls: {
    env: 'TRENDLAKE_GROWTH_CALLS',
    read: wholeNumber(0, 100_000),
    default: undefined,
    help: 'Maximum growth timelines per run. Unset: for sync what fits into a minute (at most 100), for schedule the budget.',
  },
  creatorCalls: {
    env: 'TRENDLAKE_CREATOR_CALLS',
    read: wholeNumber(0, 100_000),
    default: undefined,
    help: 'Maximum creator profiles per run. Unset: for sync what fits into a minute (at most 30), for schedule the budget.',
  },
  reservePercent: {
    env: 'TRENDLAKE_RESERVE_PERCENT',
    read: wholeNumber(0, 90),
    default: '5',
    help: 'Percent of the month reserved for calls made by hand.',
  },
  watchShare: {
    env: 'TRENDLAKE_WATCH_SHARE',
    read: wholeNumber(0, 90),
    default: '30',
    help: 'Percent of the month that watches may take.',
  },
  shares: {
    env: 'TRENDLAKE_SHARES',
    read: shares,
    default: '{"growth":70,"creators":30}',
    help: 'Percent of the refreshes for growth and creators, as JSON.',
  },
  schedules: {
    env: 'TRENDLAKE_SCHEDULES',
    read: schedules,
    default: '{}',
    help: 'Cron expressions by job, as JSON. "off" disables a job.',
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
    help: 'Timeout of a call, in milliseconds.',
  },
  publicUrl: {
    env: 'TRENDLAKE_PUBLIC_URL',
    read: origin,
    default: undefined,
    help: 'Public address of `serve`, such as https://trends.example. Used as allowed Host, in links and as allowed origin.',
  },
  parquetCodec: {
    env: 'TRENDLAKE_PARQUET_CODEC',
    read: oneOf(PARQUET_CODECS),
    default: 'zstd',
    help: 'Compression of Parquet: zstd, snappy or gzip. Changing it rewrites all files.',
  },
  retentionDays: {
    env: 'TRENDLAKE_RETENTION_DAYS',
    read: wholeNumber(0, 36_500),
    default: '30',
    help: 'Days to keep response bodies for replay.',
  },
  keep: {
    env: 'TRENDLAKE_KEEP',
    read: keepSettings,
    default: '{}',
    help: 'Ages at which rows are thinned and removed, as JSON such as {"snapshots": {"full": "180d", "daily": "3y"}, "events": "5y"}. {}: forever. See docs/guides/keeping.md.',
  },
  eventThresholds: {
    env: 'TRENDLAKE_EVENT_THRESHOLDS',
    read: anyText,
    default: undefined,
    help: 'Event thresholds to change, by platform and rule, as JSON. See docs/guides/events.md.',
  },
  hookSecret: {
    env: 'TRENDLAKE_HOOK_SECRET',
    read: secret,
    secret: true,
    default: undefined,
    help: 'Secret shared with the upstream. `serve` then accepts its webhooks at /hooks/upstream. Stored nowhere.',
  },
  tablesUrl: {
    env: 'TRENDLAKE_TABLES_URL',
    read: tablesUrl,
    default: undefined,
    help: 'Target of `publish`: s3://bucket/prefix or file:///folder. If set, every export is published. See docs/guides/publish.md.',
  },
  backupsTo: {
    env: 'TRENDLAKE_BACKUPS_TO',
    read: backupsUrl,
    default: undefined,
    help: 'Folder or s3://bucket/prefix for packed backups of the lake and service.db. If set, the nightly backup goes there too. See docs/guides/backups.md.',
  },
  lake: {
    env: 'TRENDLAKE_LAKE',
    read: lakeName,
    default: undefined,
    help: 'Name of this lake in published tables and in the shared ledger.',
  },
  ledgerUrl: {
    env: 'TRENDLAKE_LEDGER_URL',
    read: ledgerUrl,
    secret: true,
    default: undefined,
    help: 'PostgreSQL that counts the calls of several machines, as postgres://user:password@host/database. Run `ledger init` first. See docs/guides/many-machines.md.',
  },
  modelUrl: {
    env: 'TRENDLAKE_MODEL_URL',
    read: httpUrl,
    default: undefined,
    help: 'OpenAI-compatible endpoint that rephrases analyses, such as http://127.0.0.1:11434/v1.',
  },
  modelName: {
    env: 'TRENDLAKE_MODEL_NAME',
    read: anyText,
    default: undefined,
    help: 'Model to use at that endpoint.',
  },
  modelKey: {
    env: 'TRENDLAKE_MODEL_KEY',
    read: secret,
    secret: true,
    default: undefined,
    help: 'Key of that endpoint, if it needs one. Stored nowhere.',
  },
  pricePer1000: {
    env: 'TRENDLAKE_PRICE_PER_1000',
    read: price,
    default: undefined,
    help: 'Price of 1,000 calls, such as 4.50 or 4.50 EUR. plan, status and sync then show costs.',
  },
  notify: {
    env: 'TRENDLAKE_NOTIFY',
    read: notifyTargets,
    secret: true,
    default: undefined,
    help: 'Targets of notices about problems: https addresses and smtps://user:password@host:465/?from=A&to=B, separated by blanks, or one shell command. See docs/guides/alerts.md.',
  },
  afterSync: {
    env: 'TRENDLAKE_AFTER_SYNC',
    read: shellCommand,
    secret: true,
    default: undefined,
    help: 'Shell command to run after each complete run, such as `dbt build` or `rsync`. See docs/guides/operating.md.',
  },
  heartbeat: {
    env: 'TRENDLAKE_HEARTBEAT',
    read: heartbeatUrl,
    secret: true,
    default: undefined,
    help: 'Address of a monitor such as healthchecks.io or Uptime Kuma, requested at the start and end of runs. See docs/guides/operating.md.',
  },
  report: {
    env: 'TRENDLAKE_REPORT',
    read: reportSetting,
    secret: true,
    default: undefined,
    help: 'Reports to send, as JSON: {"schedule": "0 7 * * 1", "to": [TARGET], "tags": [T]}. See docs/guides/reports.md.',
  },
  proxyWebhooks: {
    env: 'TRENDLAKE_PROXY_WEBHOOKS',
    read: trueOrFalse,
    default: 'false',
    help: 'true: webhooks to subscribers use HTTPS_PROXY and HTTP_PROXY, like all other outgoing requests.',
  },
  subscriptionsPerKey: {
    env: 'TRENDLAKE_SUBSCRIPTIONS_PER_KEY',
    read: wholeNumber(0, 100_000),
    default: '100',
    help: 'Maximum webhook subscriptions per key of `serve`.',
  },
  log: {
    env: 'TRENDLAKE_LOG',
    read: oneOf(LOG_LEVELS),
    default: undefined,
    help: 'Minimum log level: off, error, warn, info or debug (every call). Unset: info for serve, with TRENDLAKE_LOG_FILE, and for schedule without a terminal. See docs/guides/operating.md.',
  },
  logFile: {
    env: 'TRENDLAKE_LOG_FILE',
    read: anyText,
    default: undefined,
    help: 'File to append log lines to. Unset: stderr.',
  },
} satisfies Record<string, Setting<unknown>>;
