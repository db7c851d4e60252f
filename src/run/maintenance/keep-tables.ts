import { DAY_MS } from '../../base/durations.ts';

/** A table of counts over time: of each subject and UTC day, first, last and peak can stand for all. */
export interface ThinnedTable {
  readonly table: string;
  /** Public name, also of the Parquet table. */
  readonly name: string;
  readonly subject: readonly string[];
  /** Rows that cannot be compared with each other are thinned apart. */
  readonly apart?: string;
  readonly peak: string;
}

export const SNAPSHOT_TABLES: readonly ThinnedTable[] = [
  { table: 'video_snapshot', name: 'video_snapshots', subject: ['video_key'], peak: 'views' },
  {
    table: 'creator_snapshot',
    name: 'creator_snapshots',
    subject: ['creator_key'],
    peak: 'followers',
  },
  {
    table: 'hashtag_snapshot',
    name: 'hashtag_snapshots',
    subject: ['hashtag_key', 'platform'],
    apart: 'window',
    peak: 'volume',
  },
];

/** A table whose rows are removed by their age. */
export interface AgedTable {
  readonly table: string;
  readonly name: string;
  readonly key: readonly string[];
  readonly at: string;
  readonly where?: string;
  /** Tables whose rows go with it. */
  readonly children?: readonly (readonly [table: string, column: string])[];
  readonly isExported?: true;
}

/** Results of watched searches go with the oldest rankings. */
export const SEARCH_HITS: AgedTable = {
  table: 'search_hit',
  name: 'search_hits',
  key: ['watch_id', 'captured_at', 'rank'],
  at: 'captured_at',
};

export const AGED_TABLES: Readonly<Record<'events' | 'forecasts' | 'calls', readonly AgedTable[]>> =
  {
    events: [
      {
        table: 'alert_hits',
        name: 'alert_hits',
        key: ['name', 'subject', 'at'],
        at: 'seen_at',
        where: 'waiting is null',
      },
      { table: 'received_hooks', name: 'received_hooks', key: ['id'], at: 'received_at' },
      {
        table: 'events',
        name: 'events',
        key: ['id'],
        at: 'occurred_at',
        children: [['deliveries', 'event_id']],
        isExported: true,
      },
    ],
    forecasts: [
      {
        table: 'forecast',
        name: 'forecasts',
        key: ['video_key', 'made_at', 'horizon_hours'],
        at: 'made_at',
        isExported: true,
      },
      {
        table: 'hashtag_forecast',
        name: 'hashtag_forecasts',
        key: ['hashtag_key', 'platform', 'made_at', 'horizon_hours'],
        at: 'made_at',
        isExported: true,
      },
    ],
    calls: [
      {
        table: 'runs',
        name: 'runs',
        key: ['id'],
        at: 'started_at',
        where: 'finished_at is not null',
        children: [['run_items', 'run_id']],
      },
      {
        table: 'calls',
        name: 'calls',
        key: ['id'],
        at: 'sent_at',
        where: 'not exists (select 1 from responses where call_id = calls.id)',
      },
      {
        table: 'slots',
        name: 'slots',
        key: ['job', 'slot_at'],
        at: 'slot_at',
        where: 'done_at is not null or missed is not null',
      },
    ],
  };

/** Rows of a day and subject that may stay whole. */
const FEW = 3;

const columnsOf = ({ subject, apart }: ThinnedTable): string =>
  [...subject, ...(apart === undefined ? [] : [apart])].join(', ');

/**
 * Query of the keys of rows that first, last and peak of their day stand for. Days of three rows or
 * fewer stay whole. `@from` and `@to` bound the time, `@keys` the first subject column.
 */
export const thinnedRows = (thinned: ThinnedTable): string => `
  select ${thinned.subject.join(', ')}, observed_at from (
    select ${thinned.subject.join(', ')}, observed_at, count(*) over w as n,
      min(observed_at) over w as first, max(observed_at) over w as last,
      first_value(observed_at) over (w order by ${thinned.peak} desc nulls last, observed_at) as peak
    from ${thinned.table} where ${thinned.subject[0]} in (select value from json_each(@keys))
      and observed_at >= @from and observed_at < @to
    window w as (partition by ${columnsOf(thinned)}, observed_at / ${DAY_MS}))
  where n > ${FEW} and observed_at not in (first, last, peak)`;

/** Query of first subject columns with rows to thin on a day, and of how many rows those have. */
export const crowdedKeys = (thinned: ThinnedTable): string => `
  select key, sum(n) as n from (
    select ${thinned.subject[0]} as key, count(*) as n from ${thinned.table}
    where observed_at >= @from and observed_at < @to
    group by ${columnsOf(thinned)} having count(*) > ${FEW}) group by key`;

/** Query of the keys of rows that are removed: all but the newest of their subject. */
export const outdatedRows = ({ table, subject }: ThinnedTable): string => `
  select ${subject.map((column) => `s.${column}`).join(', ')}, s.observed_at from ${table} s
  where s.${subject[0]} in (select value from json_each(@keys))
    and s.observed_at >= @from and s.observed_at < @to and exists (
      select 1 from ${table} n
      where ${subject.map((column) => `n.${column} = s.${column}`).join(' and ')}
        and n.observed_at > s.observed_at)`;

/** Query of first subject columns with rows on a day, and of how many. */
export const keysOfDay = ({ table, subject }: ThinnedTable): string => `
  select ${subject[0]} as key, count(*) as n from ${table}
  where observed_at >= @from and observed_at < @to group by 1`;

/** Captures of a day that first, last and longest stand for, and lists that stayed incomplete. */
export const THINNED_CAPTURES = `
  select key from (
    select key, list, count(*) over w as n,
      row_number() over (w order by captured_at) as f,
      row_number() over (w order by captured_at desc) as l,
      row_number() over (w order by (select count(*) from ranking where capture_key = key) desc,
        captured_at) as p
    from capture where captured_at >= @from and captured_at < @to and completed_at is not null
    window w as (partition by list, platform, period))
  where n > ${FEW} and f > 1 and l > 1 and (p > 1 or list = 'hashtags')
  union all
  select key from capture where captured_at >= @from and captured_at < @to and completed_at is null`;

export const CAPTURES_OF_DAY =
  'select key from capture where captured_at >= @from and captured_at < @to';
