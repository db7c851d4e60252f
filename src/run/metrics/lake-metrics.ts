import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_KINDS } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { COUNTED_TABLES, rowsOf } from '../../lake/read/volumes.ts';
import type { ManifestTotals } from '../../output/parquet/manifest.ts';
import { type CountedKey, keyName } from '../../upstream/throttle/counted-key.ts';
import type { MonthState } from '../../upstream/throttle/month.ts';
import { CALL_OUTCOMES, type CallCount } from './call-tally.ts';

/** A value, and the value of each label of its metric. */
export type Sample = readonly [value: number, ...labels: string[]];

/** Data of a scrape. */
export interface Scraped {
  readonly lake: Lake;
  readonly now: number; // Unix ms
  /** `key` is undefined if there is only one. `month` is null if the shared ledger did not answer. */
  readonly months: readonly { key: CountedKey | undefined; month: MonthState | null }[];
  /** False if a shared ledger counts the calls of several machines. */
  readonly countsItself: boolean;
  readonly calls: readonly CallCount[];
  /** Calls without an outcome. */
  readonly unsettled: number;
  /** Undefined: nothing was exported yet. */
  readonly manifest: ManifestTotals | undefined;
}

type Read<Source> = (source: Source) => readonly Sample[];

/**
 * Metrics by name. Those that end in `_total` are counters, others are gauges. Label values come from
 * fixed sets or settings, never from data. The label `source` is the job, because `job` is Prometheus's
 * own label.
 */
type MetricTable<Source> = Readonly<
  Record<string, readonly [labels: readonly string[], help: string, read: Read<Source>]>
>;

const seconds = (ms: number): number => ms / 1000;

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join();

const count =
  (what: string): Read<Pick<Scraped, 'lake'>> =>
  ({ lake }) => [[required(prepare(lake.sqlite, `select count(*) from ${what}`, 'number').get())]];

/** Counts rows by an expression. Names without rows are 0: a rate needs a first value. */
const countBy =
  (expression: string, what: string, names: readonly string[]): Read<Pick<Scraped, 'lake'>> =>
  ({ lake }) => {
    const sql = `select ${expression}, count(*) from ${what} group by 1`;
    const counts = new Map(names.map((name) => [name, 0]));
    for (const [name, rows] of prepare(lake.sqlite, sql, ['text', 'number']).all())
      counts.set(name, rows);
    return [...counts].map(([name, rows]) => [rows, name]);
  };

const countRuns = (...outcomes: string[]): Read<Pick<Scraped, 'lake'>> =>
  countBy('outcome', `runs where outcome in (${quoted(outcomes)})`, outcomes);

const LAST_ENDS = `
  select max(finished_at), outcome from runs where finished_at is not null group by outcome`;

/** Counts of whole tables. The time grows with the lake, so they are not read at every scrape. */
export const COUNTED_METRICS: MetricTable<Pick<Scraped, 'lake'>> = {
  trendlake_runs_total: [
    ['outcome'],
    'Finished runs by outcome: complete, partial, failed.',
    countRuns('complete', 'partial', 'failed'),
  ],
  trendlake_runs_unfinished: [
    ['outcome'],
    'Running or paused runs.',
    countRuns('running', 'paused'),
  ],
  trendlake_run_last_end_timestamp_seconds: [
    ['outcome'],
    'End of the newest run by outcome, Unix time.',
    ({ lake }) =>
      prepare(lake.sqlite, LAST_ENDS, ['number', 'text'])
        .all()
        .map(([at, outcome]) => [seconds(at), outcome]),
  ],
  trendlake_rows: [
    ['table'],
    'Rows of each table. May be a minute or two old in a large lake.',
    ({ lake }) => COUNTED_TABLES.map((table) => [rowsOf(lake, table), table]),
  ],
  trendlake_rejected_items: [[], 'Items that could not be loaded.', count('rejected_items')],
  trendlake_drift_fields: [[], 'Fields and shapes that differ from the interface.', count('drift')],
  trendlake_events_total: [
    ['kind'],
    'Detected events by kind.',
    countBy(`iif(kind in (${quoted(EVENT_KINDS)}), kind, 'other')`, 'events', EVENT_KINDS),
  ],
  trendlake_deliveries: [
    ['state'],
    'Webhook deliveries by state: pending, delivered, failed.',
    countBy('state', 'deliveries', ['pending', 'delivered', 'failed']),
  ],
};

// newest capture of each list, by skipping from list to list in the index
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
  select max((
    select max(n.captured_at) from capture n
    where n.list = c.list and n.platform = c.platform and n.period = c.period)),
    c.list, iif(c.platform = '', 'all', c.platform)
  from first join capture c on c.key = first.key where c.list <> 'import' group by 2, 3`;

const sourceLags: Read<Scraped> = ({ lake, now, calls }) => {
  const lists = prepare(lake.sqlite, NEWEST_CAPTURES, ['number', 'text', 'text']).all();
  const listed = new Set(lists.map(([, list]) => list));
  const others = calls
    .filter(({ job, outcome }) => outcome === 'ok' && !listed.has(job))
    .map(({ job, lastAt }): Sample => [lastAt, job, 'all']);
  return [...lists, ...others].map(([at, ...labels]) => [
    seconds(Math.max(0, now - at)),
    ...labels,
  ]);
};

const callsByOutcome: Read<Scraped> = ({ calls }) =>
  [...new Set(calls.map(({ job }) => job))].flatMap((job) =>
    CALL_OUTCOMES.map((outcome): Sample => {
      const same = calls.find((row) => row.job === job && row.outcome === outcome);
      return [same?.count ?? 0, job, outcome];
    }),
  );

/** No label if there is only one key. */
const labelOf = (key: CountedKey | undefined): string[] => (key === undefined ? [] : [key.name]);

/** A figure of each known month. */
const ofMonths =
  (figure: (month: MonthState) => number): Read<Scraped> =>
  ({ months }) =>
    months.flatMap(({ key, month }) =>
      month === null ? [] : [[figure(month), ...labelOf(key)] as const],
    );

const PAUSE_LEFT = 'select min(until_at - @now, until_at - set_at) from pause where key = @key';

const pauses: Read<Scraped> = ({ lake, now, countsItself, months }) => {
  if (!countsItself) return []; // it is in the shared ledger
  const left = prepare(lake.sqlite, PAUSE_LEFT, 'number');
  return months.map(({ key }) => {
    const leftMs = left.get({ now, key: keyName(key) }) ?? 0;
    return [seconds(Math.max(0, leftMs)), ...labelOf(key)];
  });
};

const exportSums =
  (field: 'rows' | 'bytes'): Read<Scraped> =>
  ({ manifest }) =>
    [...Map.groupBy(manifest?.files ?? [], ({ table }) => table)].map(([table, files]) => [
      files.reduce((sum, file) => sum + file[field], 0),
      table,
    ]);

const FILES = ['trendlake.db', 'trendlake.db-wal', 'service.db', 'service.db-wal'];

/** Metrics that are read at every scrape. */
export const SCRAPED_METRICS: MetricTable<Scraped> = {
  trendlake_calls_total: [
    ['source', 'outcome'],
    'Finished calls by source (job) and outcome: ok, limited (429, 503), refused (other status), unreadable (200), no_answer, unreachable (nothing was sent or spent).',
    callsByOutcome,
  ],
  trendlake_calls_unsettled: [
    [],
    'Calls in flight or of a dead process. They count as spent.',
    ({ unsettled }) => [[unsettled]],
  ],
  trendlake_source_lag_seconds: [
    ['source', 'platform'],
    'Age of the newest response by job and platform. all: the job is not split by platform.',
    sourceLags,
  ],
  trendlake_quota_limit_calls: [
    ['key'],
    'Calls per month of the upstream key.',
    ofMonths(({ limit }) => limit),
  ],
  trendlake_quota_spent_calls: [['key'], 'Calls spent this month.', ofMonths(({ spent }) => spent)],
  trendlake_quota_remaining_calls: [
    ['key'],
    'Calls left this month, by the ledger or the service, whichever is less.',
    ofMonths(({ remaining }) => remaining),
  ],
  trendlake_quota_window_start_timestamp_seconds: [
    ['key'],
    'Start of this month of the key, Unix time.',
    ofMonths(({ startsAt }) => seconds(startsAt)),
  ],
  trendlake_quota_reset_timestamp_seconds: [
    ['key'],
    'When calls are available again, Unix time.',
    ofMonths(({ endsAt }) => seconds(endsAt)),
  ],
  trendlake_pause_seconds: [
    ['key'],
    'Remaining seconds of a wait that the service asked for.',
    pauses,
  ],
  trendlake_export_age_seconds: [
    [],
    'Seconds since an export changed a Parquet file. Compare with trendlake_export_pending_partitions.',
    ({ manifest, now }) =>
      manifest === undefined ? [] : [[seconds(Math.max(0, now - Date.parse(manifest.exportedAt)))]],
  ],
  trendlake_export_pending_partitions: [
    [],
    'Parquet files with changes that are not exported yet.',
    count('touched_partitions'),
  ],
  trendlake_export_rows: [
    ['table'],
    'Rows in the Parquet files of each table.',
    exportSums('rows'),
  ],
  trendlake_export_bytes: [
    ['table'],
    'Size of the Parquet files of each table.',
    exportSums('bytes'),
  ],
  trendlake_subscriptions: [
    ['state'],
    'Webhook subscriptions by state: active, disabled.',
    countBy("iif(disabled_at is null, 'active', 'disabled')", 'subscriptions', [
      'active',
      'disabled',
    ]),
  ],
  trendlake_database_size_bytes: [
    ['file'],
    'Size of the database files and their write-ahead logs.',
    ({ lake }) =>
      FILES.map((file) => [
        statSync(join(lake.dataDir, file), { throwIfNoEntry: false })?.size ?? 0,
        file,
      ]),
  ],
  trendlake_disk_free_bytes: [
    [],
    'Free space on the disk of the data directory.',
    ({ lake }) => {
      const { bavail, bsize } = statfsSync(lake.dataDir);
      return [[bavail * bsize]];
    },
  ],
};

/** Samples of each metric of a table, by name. */
export const readMetrics = <Source>(
  metrics: MetricTable<Source>,
  source: Source,
): Record<string, readonly Sample[]> =>
  Object.fromEntries(Object.entries(metrics).map(([name, [, , read]]) => [name, read(source)]));
