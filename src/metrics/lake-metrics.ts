import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_KINDS } from '../../schema/vocabulary.ts';
import type { Manifest } from '../export/manifest.ts';
import type { Lake } from '../lake/open.ts';
import type { MonthState } from '../throttle/month.ts';
import { CALL_OUTCOMES, type CallCount } from './call-tally.ts';
import type { Tallies } from './tallies.ts';

/** A value, and the labels it stands under. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** What a scrape looks at. `now` is Unix ms. */
export interface Scraped {
  readonly lake: Lake;
  readonly now: number;
  readonly month: MonthState;
  readonly tallies: Tallies;
  readonly calls: readonly CallCount[];
  /** Calls without an outcome. */
  readonly unsettled: number;
  /** Undefined: nothing was exported yet. */
  readonly manifest: Manifest | undefined;
}

/**
 * A metric that is read from the lake. Label values come from fixed sets, never from data. What else
 * is called a job is `source` here: `job` is Prometheus's own label.
 */
export interface LakeMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly labels: readonly string[];
  read(scraped: Scraped): Sample[];
}

const seconds = (ms: number): number => ms / 1000;
/** Names of fixed sets that nothing was counted for stand at 0: a rate needs a first value. */
const zeroFilled = (
  label: string,
  names: readonly string[],
  counted: readonly (readonly [name: string, count: number])[],
): Sample[] => {
  const counts = new Map(names.map((name) => [name, 0]));
  for (const [name, count] of counted) counts.set(name, count);
  return [...counts].map(([name, count]) => [count, { [label]: name }]);
};

const ENDED = ['complete', 'partial', 'failed'];
const UNFINISHED = ['running', 'paused'];

// the newest look at each list, found by leaping from list to list in the index
const NEWEST_CAPTURES = `
  with recursive first(key) as (
    select (select key from capture order by list, platform, period, captured_at limit 1)
    union all
    select coalesce(
      (select n.key from capture n
        where n.list = c.list and n.platform = c.platform and n.period > c.period
        order by n.period, n.captured_at limit 1),
      (select n.key from capture n where n.list = c.list and n.platform > c.platform
        order by n.platform, n.period, n.captured_at limit 1),
      (select n.key from capture n where n.list > c.list
        order by n.list, n.platform, n.period, n.captured_at limit 1))
    from first join capture c on c.key = first.key
  )
  select c.list as source, iif(c.platform = '', 'all', c.platform) as platform, max((
    select max(n.captured_at) from capture n
    where n.list = c.list and n.platform = c.platform and n.period = c.period)) as at
  from first join capture c on c.key = first.key group by 1, 2`;

interface Newest {
  source: string;
  platform: string;
  at: number;
}

const sourceLags = ({ lake, now, calls }: Scraped): Sample[] => {
  const lists = lake.sqlite.prepare(NEWEST_CAPTURES).all() as Newest[];
  const looks = calls.flatMap(({ job, outcome, lastAt }) =>
    outcome === 'ok' && lastAt !== null && !lists.some(({ source }) => source === job)
      ? [{ source: job, platform: 'all', at: lastAt }]
      : [],
  );
  return [...lists, ...looks].map(({ source, platform, at }) => [
    seconds(Math.max(0, now - at)),
    { source, platform },
  ]);
};

const PAUSE_LEFT = 'select min(until_at - @now, until_at - set_at) from pause';

const exportSums = (manifest: Manifest | undefined, of: 'rows' | 'bytes'): Sample[] => {
  const sums = new Map<string, number>();
  for (const file of manifest?.files ?? [])
    sums.set(file.table, (sums.get(file.table) ?? 0) + file[of]);
  return [...sums].map(([table, sum]) => [sum, { table }]);
};

const FILES = ['trendlake.db', 'trendlake.db-wal', 'service.db', 'service.db-wal'];

const fileSizes = ({ lake }: Scraped): Sample[] =>
  FILES.map((file) => [
    statSync(join(lake.dataDir, file), { throwIfNoEntry: false })?.size ?? 0,
    { file },
  ]);

const countOf = ({ lake }: Scraped, what: string): number =>
  lake.sqlite.prepare(`select count(*) from ${what}`).pluck().get() as number;

/** Every metric of the lake: what `sync` and `schedule` do, whichever process does it. */
export const LAKE_METRICS: readonly LakeMetric[] = [
  {
    name: 'trendlake_runs_total',
    type: 'counter',
    help: 'Runs that ended, by outcome: complete, partial, failed.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      zeroFilled(
        'outcome',
        ENDED,
        tallies.runs.flatMap(({ outcome, runs }) =>
          ENDED.includes(outcome) ? [[outcome, runs] as const] : [],
        ),
      ),
  },
  {
    name: 'trendlake_runs_unfinished',
    type: 'gauge',
    help: 'Runs that are running, or paused until calls are free again.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      zeroFilled(
        'outcome',
        UNFINISHED,
        tallies.runs.flatMap(({ outcome, runs }) =>
          UNFINISHED.includes(outcome) ? [[outcome, runs] as const] : [],
        ),
      ),
  },
  {
    name: 'trendlake_run_last_end_timestamp_seconds',
    type: 'gauge',
    help: 'When the newest run of each outcome ended, Unix time.',
    labels: ['outcome'],
    read: ({ tallies }) =>
      tallies.runs.flatMap(({ outcome, lastAt }): Sample[] =>
        lastAt === null ? [] : [[seconds(lastAt), { outcome }]],
      ),
  },
  {
    name: 'trendlake_calls_total',
    type: 'counter',
    help: 'Calls that left and came back, by source (the job that asked) and outcome: ok, limited (429, 503), refused (another status), unreadable (200), no_answer.',
    labels: ['source', 'outcome'],
    read: ({ calls }) =>
      [...new Set(calls.map(({ job }) => job))].flatMap((job) =>
        CALL_OUTCOMES.map((outcome): Sample => {
          const same = calls.find((row) => row.job === job && row.outcome === outcome);
          return [same?.count ?? 0, { source: job, outcome }];
        }),
      ),
  },
  {
    name: 'trendlake_calls_unsettled',
    type: 'gauge',
    help: 'Calls without an outcome: in flight, or of a process that died. They count as spent.',
    labels: [],
    read: ({ unsettled }) => [[unsettled]],
  },
  {
    name: 'trendlake_quota_limit_calls',
    type: 'gauge',
    help: 'Calls that the month of the upstream key allows.',
    labels: [],
    read: ({ month }) => [[month.limit]],
  },
  {
    name: 'trendlake_quota_spent_calls',
    type: 'gauge',
    help: 'Calls spent in this month of the upstream key.',
    labels: [],
    read: ({ month }) => [[month.spent]],
  },
  {
    name: 'trendlake_quota_remaining_calls',
    type: 'gauge',
    help: 'Calls left of this month, by the ledger and, where that is less, by the service.',
    labels: [],
    read: ({ month }) => [[month.remaining]],
  },
  {
    name: 'trendlake_quota_window_start_timestamp_seconds',
    type: 'gauge',
    help: 'When this month of the upstream key began, Unix time.',
    labels: [],
    read: ({ month }) => [[seconds(month.startsAt)]],
  },
  {
    name: 'trendlake_quota_reset_timestamp_seconds',
    type: 'gauge',
    help: 'When calls are free again, Unix time.',
    labels: [],
    read: ({ month }) => [[seconds(month.endsAt)]],
  },
  {
    name: 'trendlake_pause_seconds',
    type: 'gauge',
    help: 'How long nobody may call yet because the service asked to wait; 0: nobody waits.',
    labels: [],
    read: ({ lake, now }) => {
      const leftMs = lake.sqlite.prepare(PAUSE_LEFT).pluck().get({ now }) as number | undefined;
      return [[seconds(Math.max(0, leftMs ?? 0))]];
    },
  },
  {
    name: 'trendlake_source_lag_seconds',
    type: 'gauge',
    help: 'How old the newest answer of each source is, by job and platform; all: one answer covers them, or the job looks at single subjects. A source that never answered is left out.',
    labels: ['source', 'platform'],
    read: sourceLags,
  },
  {
    name: 'trendlake_rows',
    type: 'gauge',
    help: 'Rows of each table. What is counted (rows, runs, rejected items, drift, events, deliveries) is counted anew in the background, after a hundred times what counting took: a minute or two late in a large lake.',
    labels: ['table'],
    read: ({ tallies }) => tallies.rows.map(({ table, rows }) => [rows, { table }]),
  },
  {
    name: 'trendlake_rejected_items',
    type: 'gauge',
    help: 'Items that could not be kept.',
    labels: [],
    read: ({ tallies }) => [[tallies.rejected]],
  },
  {
    name: 'trendlake_drift_fields',
    type: 'gauge',
    help: 'Fields that came though the interface does not show them.',
    labels: [],
    read: ({ tallies }) => [[tallies.drift]],
  },
  {
    name: 'trendlake_export_age_seconds',
    type: 'gauge',
    help: 'Since an export last changed a Parquet file. Grows while nothing changes: see trendlake_export_pending_partitions.',
    labels: [],
    read: ({ manifest, now }) =>
      manifest === undefined ? [] : [[seconds(Math.max(0, now - Date.parse(manifest.exportedAt)))]],
  },
  {
    name: 'trendlake_export_pending_partitions',
    type: 'gauge',
    help: 'Parquet partitions that changed since they were exported.',
    labels: [],
    read: (scraped) => [[countOf(scraped, 'touched_partitions')]],
  },
  {
    name: 'trendlake_export_rows',
    type: 'gauge',
    help: 'Rows in the Parquet files of each table.',
    labels: ['table'],
    read: ({ manifest }) => exportSums(manifest, 'rows'),
  },
  {
    name: 'trendlake_export_bytes',
    type: 'gauge',
    help: 'Size of the Parquet files of each table.',
    labels: ['table'],
    read: ({ manifest }) => exportSums(manifest, 'bytes'),
  },
  {
    name: 'trendlake_events_total',
    type: 'counter',
    help: 'Events noticed, by kind.',
    labels: ['kind'],
    read: ({ tallies }) =>
      zeroFilled(
        'kind',
        EVENT_KINDS,
        tallies.events.map(({ kind, events }) => [kind, events]),
      ),
  },
  {
    name: 'trendlake_deliveries',
    type: 'gauge',
    help: 'Webhook deliveries by state: pending, delivered, failed.',
    labels: ['state'],
    read: ({ tallies }) =>
      zeroFilled(
        'state',
        ['pending', 'delivered', 'failed'],
        tallies.deliveries.map(({ state, deliveries }) => [state, deliveries]),
      ),
  },
  {
    name: 'trendlake_subscriptions',
    type: 'gauge',
    help: 'Webhook subscriptions by state: active, disabled.',
    labels: ['state'],
    read: (scraped) =>
      (['active', 'disabled'] as const).map((state) => [
        countOf(
          scraped,
          `subscriptions where disabled_at is ${state === 'active' ? '' : 'not '}null`,
        ),
        { state },
      ]),
  },
  {
    name: 'trendlake_database_size_bytes',
    type: 'gauge',
    help: 'Size of the database files and their write-ahead logs.',
    labels: ['file'],
    read: fileSizes,
  },
  {
    name: 'trendlake_disk_free_bytes',
    type: 'gauge',
    help: 'What the disk of the data directory has left.',
    labels: [],
    read: ({ lake }) => {
      const { bavail, bsize } = statfsSync(lake.dataDir);
      return [[bavail * bsize]];
    },
  },
];
