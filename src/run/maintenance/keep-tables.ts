import type { KeepSettings, KeepSpans } from '../../base/config/keep-setting.ts';
import { DAY_MS } from '../../base/durations.ts';
import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';
import { prepared } from '../../lake/statements.ts';

/** A table that loses rows. */
interface KeptTable {
  readonly table: string;
  /** Public name, also of the Parquet table. */
  readonly name: string;
  readonly key: string;
  /** Instant by which Parquet divides the table. */
  readonly at: string;
  readonly isExported?: true;
}

/** Rows to remove in one transaction, or in several if there are more than `@limit`. */
export interface Batch extends KeptTable {
  /** Query of their keys. */
  readonly rows: string;
  /** Statements that remove rows that refer to them, or that nothing refers to any more. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  readonly bound: Readonly<Record<string, string | number>>;
}

/** A table of counts over time: of each subject and UTC day, first, last and peak can stand for all. */
interface ThinnedTable extends KeptTable {
  readonly subject: readonly [key: string, ...more: string[]];
  /** Rows that cannot be compared with each other are thinned apart. */
  readonly apart?: string;
  readonly peak: string;
}

const SNAPSHOT_TABLES: readonly ThinnedTable[] = (
  [
    { table: 'video_snapshot', subject: ['video_key'], peak: 'views' },
    { table: 'creator_snapshot', subject: ['creator_key'], peak: 'followers' },
    {
      table: 'hashtag_snapshot',
      subject: ['hashtag_key', 'platform'],
      apart: 'window',
      peak: 'volume',
    },
  ] as const
).map((thinned) => ({
  ...thinned,
  name: `${thinned.table}s`,
  key: [...thinned.subject, 'observed_at'].join(', '),
  at: 'observed_at',
  isExported: true,
}));

const RANKING: KeptTable = {
  table: 'ranking',
  name: 'rankings',
  key: 'capture_key, rank',
  at: '(select captured_at from capture where capture.key = capture_key)',
  isExported: true,
};
const CAPTURE = 'capture';

/** A table whose rows are removed by their age. */
interface AgedTable extends KeptTable {
  readonly where?: string;
  /** Tables whose rows go with it. */
  readonly children?: readonly (readonly [table: string, column: string])[];
}

const agedTable = (
  table: string,
  key: string,
  at: string,
  more: Partial<AgedTable> = {},
): AgedTable => ({ table, name: table, key, at, ...more });

/** Results of watched searches go with the oldest rankings. */
const SEARCH_HITS = agedTable('search_hit', 'watch_id, captured_at, rank', 'captured_at', {
  name: 'search_hits',
});

const AGED_TABLES: Readonly<Record<'events' | 'forecasts' | 'calls', readonly AgedTable[]>> = {
  events: [
    agedTable('alert_hits', 'name, subject, at', 'seen_at', { where: 'waiting is null' }),
    agedTable('received_hooks', 'id', 'received_at'),
    agedTable('events', 'id', 'occurred_at', {
      children: [['deliveries', 'event_id']],
      isExported: true,
    }),
  ],
  forecasts: [
    agedTable('forecast', 'video_key, made_at, horizon_hours', 'made_at', {
      name: 'forecasts',
      isExported: true,
    }),
    agedTable('hashtag_forecast', 'hashtag_key, platform, made_at, horizon_hours', 'made_at', {
      name: 'hashtag_forecasts',
      isExported: true,
    }),
  ],
  calls: [
    agedTable('runs', 'id', 'started_at', {
      where: 'finished_at is not null',
      children: [['run_items', 'run_id']],
    }),
    agedTable('calls', 'id', 'sent_at', {
      where: 'not exists (select 1 from responses where call_id = calls.id)',
    }),
    agedTable('slots', 'job, slot_at', 'slot_at', {
      where: 'done_at is not null or missed is not null',
    }),
  ],
};

/** Rows of a day and subject that may stay whole. */
const FEW = 3;

const groupOf = ({ subject, apart }: ThinnedTable): string =>
  [...subject, ...(apart === undefined ? [] : [apart])].join(', ');

/**
 * Query of the keys of rows that first, last and peak of their day stand for. Days of three rows or
 * fewer stay whole. `@from` and `@to` bound the time, `@keys` the first subject column.
 */
const thinnedRows = (thinned: ThinnedTable): string => `
  select ${thinned.key} from (
    select ${thinned.key}, count(*) over w as n,
      min(observed_at) over w as first, max(observed_at) over w as last,
      first_value(observed_at) over (w order by ${thinned.peak} desc nulls last, observed_at) as peak
    from ${thinned.table} where ${thinned.subject[0]} in (select value from json_each(@keys))
      and observed_at >= @from and observed_at < @to
    window w as (partition by ${groupOf(thinned)}, observed_at / ${DAY_MS}))
  where n > ${FEW} and observed_at not in (first, last, peak)`;

/** Query of first subject columns with rows to thin on a day, and of how many rows those have. */
const crowdedKeys = (thinned: ThinnedTable): string => `
  select key, sum(n) as n from (
    select ${thinned.subject[0]} as key, count(*) as n from ${thinned.table}
    where observed_at >= @from and observed_at < @to
    group by ${groupOf(thinned)} having count(*) > ${FEW}) group by key`;

/** Query of the keys of rows that are removed: all but the newest of their subject. */
const outdatedRows = ({ table, key, subject }: ThinnedTable): string => `
  select ${key} from ${table} s
  where ${subject[0]} in (select value from json_each(@keys))
    and observed_at >= @from and observed_at < @to and exists (
      select 1 from ${table} n
      where ${subject.map((column) => `n.${column} = s.${column}`).join(' and ')}
        and n.observed_at > s.observed_at)`;

/** Query of first subject columns with rows on a day, and of how many. */
const keysOfDay = ({ table, subject }: ThinnedTable): string => `
  select ${subject[0]} as key, count(*) as n from ${table}
  where observed_at >= @from and observed_at < @to group by 1`;

const CAPTURES_OF_DAY = 'select key from capture where captured_at >= @from and captured_at < @to';

/** Captures of a day that first, last and longest stand for, and lists that stayed incomplete. */
const THINNED_CAPTURES = `
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

/** Some tens of milliseconds of work, after which others may write. */
export const ROWS_A_BATCH = 5000;
const CAPTURES_A_BATCH = 20;

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Whole UTC days older than `span`; undefined: none. */
export const cutoffOf = (now: number, span: number | undefined): number =>
  span === undefined ? Number.MIN_SAFE_INTEGER : Math.floor((now - span) / DAY_MS) * DAY_MS;

/** UTC days of a range on which a table has rows, by hopping along the index on its time. */
function* daysIn(
  { sqlite }: Lake,
  [table, at]: readonly [table: string, at: string],
  range: TimeRange,
): Generator<TimeRange> {
  const next = prepare(
    sqlite,
    `select ${at} from ${table} where ${at} >= ? and ${at} < ? order by ${at} limit 1`,
    'number',
  );
  for (let { from } = range; ; ) {
    const found = next.get(from, range.to);
    if (found === undefined) return;
    from = Math.floor(found / DAY_MS) * DAY_MS;
    yield { from, to: from + DAY_MS };
    from += DAY_MS;
  }
}

/** Times of rows that are removed, except the newest, and of rows that are thinned. */
const rangesOf = ({ full, daily }: KeepSpans, now: number) => {
  const gone = cutoffOf(now, daily);
  return {
    removed: { from: Number.MIN_SAFE_INTEGER, to: gone },
    thinned: { from: gone, to: cutoffOf(now, full) },
  };
};

/** A pass over old snapshots: subjects that have any, as a query by day, and the rows, by subject. */
interface Pass {
  readonly subjects: (table: ThinnedTable) => string;
  readonly rows: (table: ThinnedTable) => string;
  readonly range: TimeRange;
}

/**
 * Rows of a pass, in batches of some thousand rows and in the order in which rows lie on the
 * disk: day by day, a large lake would be read many times over.
 */
function* subjectBatches(lake: Lake, table: ThinnedTable, pass: Pass): Generator<Batch> {
  const { range } = pass;
  const rows = pass.rows(table);
  const found = new Map<number, number>();
  const ofDay = prepare(lake.sqlite, pass.subjects(table), { key: 'number', n: 'number' });
  for (const day of daysIn(lake, [table.table, 'observed_at'], range))
    for (const { key, n } of ofDay.iterate(day)) found.set(key, (found.get(key) ?? 0) + n);
  let keys: number[] = [];
  let size = 0;
  for (const key of [...found.keys()].sort((a, b) => a - b)) {
    keys.push(key);
    size += found.get(key) ?? 0;
    if (size < ROWS_A_BATCH) continue;
    yield { ...table, rows, bound: { keys: JSON.stringify(keys), ...range } };
    [keys, size] = [[], 0];
  }
  if (keys.length > 0) yield { ...table, rows, bound: { keys: JSON.stringify(keys), ...range } };
}

function* captureBatches(lake: Lake, captures: string, range: TimeRange): Generator<Batch> {
  const among = 'in (select value from json_each(@keys))';
  const rows = `select ${RANKING.key} from ranking where capture_key ${among}`;
  const after = [`delete from ${CAPTURE} where key ${among}`];
  for (const day of daysIn(lake, [CAPTURE, 'captured_at'], range)) {
    const keys = prepared(lake, captures, 'number').all(day);
    for (let done = 0; done < keys.length; done += CAPTURES_A_BATCH) {
      const some = JSON.stringify(keys.slice(done, done + CAPTURES_A_BATCH));
      yield { ...RANKING, rows, after, bound: { keys: some } };
    }
  }
}

const agedBatch = (aged: AgedTable, until: number): Batch => {
  const { table, key, at, where = 'true', children = [] } = aged;
  const rows = `select ${key} from ${table} where ${at} < @until and (${where})
    order by ${at} limit @limit`;
  const before = children.map(
    ([child, column]) => `delete from ${child} where ${column} in (${rows})`,
  );
  return { ...aged, rows, before, bound: { until } };
};

/** Rows to remove as `TRENDLAKE_KEEP` says. */
export function* batchesOf(lake: Lake, keep: KeepSettings, now: number): Generator<Batch> {
  if (keep.snapshots !== undefined) {
    const { removed, thinned } = rangesOf(keep.snapshots, now);
    const passes = [
      { subjects: keysOfDay, rows: outdatedRows, range: removed },
      { subjects: crowdedKeys, rows: thinnedRows, range: thinned },
    ];
    for (const table of SNAPSHOT_TABLES)
      for (const pass of passes) yield* subjectBatches(lake, table, pass);
  }
  if (keep.rankings !== undefined) {
    const { removed, thinned } = rangesOf(keep.rankings, now);
    yield* captureBatches(lake, CAPTURES_OF_DAY, removed);
    yield* captureBatches(lake, THINNED_CAPTURES, thinned);
    yield agedBatch(SEARCH_HITS, removed.to);
  }
  for (const kind of ['events', 'forecasts', 'calls'] as const) {
    const span = keep[kind];
    if (span === undefined) continue;
    for (const aged of AGED_TABLES[kind]) yield agedBatch(aged, cutoffOf(now, span));
  }
}
