import { type Count, lastKnown } from '../read/as-of-sql.ts';

/** A table as known at an instant. In its SQL `t` is a row of the table and `@at` the instant (Unix ms). */
export interface TableThen {
  /** Rows known by then. */
  readonly known: string;
  /** Columns with another value then; the others are as stored. */
  readonly columns?: Readonly<Record<string, string>>;
}

/**
 * True in nearly every row. The hint keeps the planner from reading a table by time because of it,
 * while the term still bounds an index that the query itself reads by time.
 */
const until = (column: string): string => `likelihood(t.${column} <= @at, 0.99)`;
/** The same where null is unknown, so always known. */
const untilIfDated = (column: string): string => `ifnull(t.${column}, 0) <= @at`;

/** Columns that are null until the instant in `at`. */
const nullUntil = (at: string, columns: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(
    [at, ...columns].map((name) => [name, `case when t.${at} <= @at then t.${name} end`]),
  );

const laterRevision = (table: string, key: string): string =>
  `from main.${table} n where n.${key} = t.key and n.until_at > @at`;

/** A column whose earlier values are in a table of revisions. An empty blob stands for a value that was null. */
const revised = (table: string, key: string, column: string): string =>
  `nullif(ifnull((select ifnull(n.${column}, x'') ${laterRevision(table, key)} order by n.until_at limit 1),
    t.${column}), x'')`;
const words = (column: string): string => revised('video_revision', 'video_key', column);
const profile = (column: string): string => revised('creator_revision', 'creator_key', column);

/** A figure of the newest snapshot that has it; as stored for videos imported without an instant. */
const orUndated = (figure: string, column: string): string =>
  `coalesce(${figure}, case when not exists
    (select 1 from main.video_snapshot n where n.video_key = t.key) then t.${column} end)`;
const count = (column: Count): string =>
  orUndated(lastKnown(column, { video: 't.key', at: '@at' }), column);
const RATE = `(select coalesce(n.engagement_rate, 100.0 * n.likes / nullif(n.views, 0))
  from main.video_snapshot n where n.video_key = t.key and n.observed_at <= @at
    and (n.engagement_rate is not null or n.rate_derived = 1)
  order by n.observed_at desc limit 1)`;

const LATER_FIELDS = laterRevision('extra_revision', 'video_key');
const EXTRA = `case when exists (select 1 ${LATER_FIELDS}) then extra_then(t.extra,
  (select json_group_array(json(n.fields) order by n.until_at desc) ${LATER_FIELDS})) else t.extra end`;

const creatorCount = (column: string): string =>
  `(select n.${column} from main.creator_snapshot n where n.creator_key = t.key
    and n.observed_at <= @at and n.${column} is not null order by n.observed_at desc limit 1)`;

/** A video keeps each hashtag and its position, so those it had then are some of those it has now. */
const HAD_TAG = `ifnull((select instr(',' || coalesce(n.tags, '') || ',', ',' || t.hashtag_key || ',')
  from main.video_revision n where n.video_key = t.video_key and n.until_at > @at
  order by n.until_at limit 1), 1) > 0`;

const isIn = (table: string, key: string, of: string): string =>
  `exists (select 1 from ${table} n where n.${key} = t.${of})`;
const FORECAST = `${until('made_at')} and ${isIn('models', 'id', 'model_id')}`;

/** Every table that has a past. Unqualified names in the SQL are the views of that instant. */
export const TABLES_THEN: Readonly<Record<string, TableThen>> = {
  alert_hits: { known: until('at') },
  alerts: { known: until('created_at'), columns: nullUntil('evaluated_at', ['failure']) },
  analyses: { known: until('generated_at') },
  calls: {
    known: until('sent_at'),
    columns: nullUntil('finished_at', ['status', 'error', 'rows_changed', 'new_videos']),
  },
  capture: { known: until('captured_at'), columns: nullUntil('completed_at') },
  conditions: {
    known: until('began_at'),
    columns: { ...nullUntil('told_at'), ...nullUntil('ended_at'), ...nullUntil('end_told_at') },
  },
  creator: {
    known: untilIfDated('first_seen_at'),
    columns: {
      ...Object.fromEntries(
        ['followers', 'video_count', 'views', 'likes'].map((name) => [name, creatorCount(name)]),
      ),
      engagement_rate: profile('engagement_rate'),
      extra: profile('extra'),
    },
  },
  creator_revision: { known: until('until_at') },
  creator_snapshot: { known: until('observed_at') },
  deliveries: { known: until('queued_at') },
  drift: { known: until('first_seen_at') },
  erased: { known: until('erased_at') },
  events: { known: until('detected_at') },
  extra_revision: { known: until('until_at') },
  forecast: { known: FORECAST },
  hashtag: { known: untilIfDated('first_seen_at') },
  hashtag_forecast: { known: FORECAST },
  hashtag_snapshot: { known: until('observed_at') },
  models: { known: until('learnt_at') },
  ranking: {
    known: `(select ifnull(n.completed_at, n.captured_at) <= @at
      from main.capture n where n.key = t.capture_key)`,
  },
  received_hooks: { known: until('received_at') },
  rejected_items: { known: until('seen_at') },
  responses: { known: until('observed_at') },
  run_items: { known: isIn('runs', 'id', 'run_id') },
  runs: {
    known: until('started_at'),
    columns: {
      ...nullUntil('finished_at', ['summary']),
      outcome: "case when t.finished_at > @at then 'running' else t.outcome end",
      heartbeat_at: 'min(t.heartbeat_at, @at)',
    },
  },
  search_hit: { known: until('captured_at') },
  slots: { known: until('claimed_at'), columns: nullUntil('done_at') },
  subscriptions: { known: until('created_at') },
  video: {
    known: untilIfDated('first_seen_at'),
    columns: {
      title: words('title'),
      user: words('user'),
      views: count('views'),
      likes: count('likes'),
      engagement_rate: orUndated(RATE, 'engagement_rate'),
      extra: EXTRA,
      ...nullUntil('collected_at'),
    },
  },
  video_hashtag: { known: `${isIn('video', 'key', 'video_key')} and ${HAD_TAG}` },
  video_revision: { known: until('until_at') },
  video_snapshot: { known: until('observed_at') },
  wanted_subjects: { known: until('wanted_at'), columns: nullUntil('taken_at') },
  watch_tags: { known: isIn('watches', 'id', 'watch_id') },
  watches: {
    known: until('created_at'),
    columns: { ...nullUntil('paused_at', ['paused_reason']), ...nullUntil('last_at') },
  },
};
