import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { markTouched, partOfSubject } from '../../lake/touched-partitions.ts';

const VIDEO_KEYS = 'video_key in (select key from gone_video)';
const CREATOR_KEYS = 'creator_key in (select key from gone_creator)';
const CALL_IDS = 'call_id in (select id from gone_call)';
const EVENT_IDS = 'event_id in (select id from gone_event)';
const LINES = 'request in (select request from gone_line)';
const CAPTURED_AT = '(select captured_at from capture where key = capture_key)';

/**
 * Rows to erase of each table, children before parents. `name` is public, as counts show it. `at` is the
 * instant by which Parquet divides the table.
 */
const ROWS: readonly (readonly [table: string, name: string, where: string, at?: string])[] = [
  ['video_snapshot', 'video_snapshots', VIDEO_KEYS, 'observed_at'],
  ['ranking', 'rankings', VIDEO_KEYS, CAPTURED_AT],
  ['search_hit', 'search_hits', VIDEO_KEYS],
  ['video_hashtag', 'video_hashtags', VIDEO_KEYS],
  ['video_revision', 'video_revision', VIDEO_KEYS],
  ['extra_revision', 'extra_revision', VIDEO_KEYS],
  ['forecast', 'forecasts', VIDEO_KEYS, 'made_at'],
  ['analyses', 'analyses', 'video_id in (select id from gone_video)'],
  ['deliveries', 'deliveries', EVENT_IDS],
  ['received_hooks', 'received_hooks', EVENT_IDS],
  ['wanted_subjects', 'wanted_subjects', EVENT_IDS],
  ['events', 'events', 'id in (select id from gone_event)', 'occurred_at'],
  ['rejected_items', 'rejected_items', CALL_IDS],
  ['responses', 'responses', CALL_IDS],
  ['run_items', 'run_items', LINES],
  [
    'alert_hits',
    'alert_hits',
    `subject in (select id from gone_video) or subject in (select 'video:' || id from gone_video)
      or subject in (select title from video where key in (select key from gone_video))
      or ltrim(replace(subject, 'creator:', ''), '@') in (select handle from gone_handle
        where not exists (select 1 from video where user = handle and key not in (select key from gone_video)))`,
  ],
  ['watches', 'watches', 'id in (select id from gone_watch)'],
  ['creator_snapshot', 'creator_snapshots', CREATOR_KEYS, 'observed_at'],
  ['creator_revision', 'creator_revision', CREATOR_KEYS],
  ['creator', 'creators', 'key in (select key from gone_creator)'],
  ['video', 'videos', 'key in (select key from gone_video)'],
  [
    'handle_spelling',
    'handle_spelling',
    `folded in (select handle from gone_handle union
        select s.folded from handle_spelling s join gone_handle g on g.handle = s.handle)
      and not exists (select 1 from video where user = handle_spelling.handle)
      and not exists (select 1 from video_revision where user = handle_spelling.handle)
      and not exists (select 1 from creator where handle = handle_spelling.handle)`,
  ],
];
const LEDGER = 'calls';

/** Rows of the marked subjects, by public table name. */
export const countMarkedRows = ({ sqlite }: Lake): Record<string, number> => {
  const count = (table: string, where: string): number =>
    required(prepare(sqlite, `select count(*) from ${table} where ${where}`, 'number').get());
  const counts = ROWS.map(([table, name, where]) => [name, count(table, where)] as const);
  return Object.fromEntries([...counts, [LEDGER, count(LEDGER, LINES)]]);
};

/** SQL condition of the rows of a table that stay; `1` for tables that lose none. */
export const staysIn = (table: string): string => {
  const [, , where] = ROWS.find(([erased]) => erased === table) ?? [];
  return where === undefined ? '1' : `not coalesce(${where}, 0)`;
};

/** A Parquet file: a table, and its date or part. */
type MarkedPartition = readonly [table: string, date: string];

/** Parquet files that hold rows of the marked subjects. */
export const markedPartitions = ({ sqlite }: Lake): MarkedPartition[] => {
  const keys = prepare(sqlite, 'select key from gone_video', 'number').all();
  const parts = [...new Set(keys.map(partOfSubject))];
  const creators = prepare(sqlite, 'select count(*) from gone_creator', 'number').get() ?? 0;
  return [
    ...ROWS.flatMap(([table, name, where, at]) =>
      at === undefined
        ? []
        : prepare(
            sqlite,
            `select distinct strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch') from ${table} where ${where}`,
            'text',
          )
            .all()
            .map((date) => [name, date] as const),
    ),
    ...['videos', 'video_hashtags'].flatMap((name) => parts.map((part) => [name, part] as const)),
    ...(creators > 0 ? [['creators', ''] as const] : []),
  ];
};

/**
 * Removes the rows of the marked subjects, and takes them out of calls, which stay counted. Call it in a
 * transaction. @returns rows by table
 */
export const removeMarkedRows = (lake: Lake): Record<string, number> => {
  for (const [table, date] of markedPartitions(lake)) markTouched(lake, table, date);
  const change = (sql: string): number => lake.sqlite.prepare(sql).run().changes;
  const counts = ROWS.map(
    ([table, name, where]) => [name, change(`delete from ${table} where ${where}`)] as const,
  );
  const renamed = change(
    `update ${LEDGER} set error = null,
       request = (select erased from gone_line where gone_line.request = ${LEDGER}.request)
     where ${LINES}`,
  );
  return Object.fromEntries([...counts, [LEDGER, renamed]]);
};
