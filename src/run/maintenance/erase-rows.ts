import type { Lake } from '../../lake/open.ts';
import { prepare, required } from '../../lake/prepare.ts';
import { markTouched, partOfSubject } from '../../lake/touched-partitions.ts';

/** Rows to erase of one table, children before parents. */
interface ErasedRows {
  readonly table: string;
  /** Public name, as counts show it. */
  readonly name: string;
  readonly where: string;
  /** Column of the instant by which Parquet divides the table. */
  readonly at?: string;
}

const VIDEO_KEYS = 'video_key in (select key from gone_video)';
const CREATOR_KEYS = 'creator_key in (select key from gone_creator)';
const CALL_IDS = 'call_id in (select id from gone_call)';
const CAPTURED_AT = '(select captured_at from capture where key = capture_key)';

const ROWS: readonly ErasedRows[] = [
  { table: 'video_snapshot', name: 'video_snapshots', where: VIDEO_KEYS, at: 'observed_at' },
  { table: 'ranking', name: 'rankings', where: VIDEO_KEYS, at: CAPTURED_AT },
  { table: 'search_hit', name: 'search_hits', where: VIDEO_KEYS },
  { table: 'video_hashtag', name: 'video_hashtags', where: VIDEO_KEYS },
  { table: 'video_revision', name: 'video_revision', where: VIDEO_KEYS },
  { table: 'extra_revision', name: 'extra_revision', where: VIDEO_KEYS },
  { table: 'forecast', name: 'forecasts', where: VIDEO_KEYS, at: 'made_at' },
  { table: 'analyses', name: 'analyses', where: 'video_id in (select id from gone_video)' },
  { table: 'deliveries', name: 'deliveries', where: 'event_id in (select id from gone_event)' },
  {
    table: 'received_hooks',
    name: 'received_hooks',
    where: 'event_id in (select id from gone_event)',
  },
  {
    table: 'wanted_subjects',
    name: 'wanted_subjects',
    where: 'event_id in (select id from gone_event)',
  },
  {
    table: 'events',
    name: 'events',
    where: 'id in (select id from gone_event)',
    at: 'occurred_at',
  },
  { table: 'rejected_items', name: 'rejected_items', where: CALL_IDS },
  { table: 'responses', name: 'responses', where: CALL_IDS },
  {
    table: 'alert_hits',
    name: 'alert_hits',
    where: `subject in (select id from gone_video) or subject in (select 'video:' || id from gone_video)
      or subject in (select title from video where key in (select key from gone_video))
      or ltrim(replace(subject, 'creator:', ''), '@') in (select handle from gone_handle
        where not exists (select 1 from video where user = handle and key not in (select key from gone_video)))`,
  },
  { table: 'watches', name: 'watches', where: 'id in (select id from gone_watch)' },
  { table: 'creator_snapshot', name: 'creator_snapshots', where: CREATOR_KEYS, at: 'observed_at' },
  { table: 'creator_revision', name: 'creator_revision', where: CREATOR_KEYS },
  { table: 'creator', name: 'creators', where: 'key in (select key from gone_creator)' },
  { table: 'video', name: 'videos', where: 'key in (select key from gone_video)' },
  {
    table: 'handle_spelling',
    name: 'handle_spelling',
    where: `folded in (select handle from gone_handle union
        select s.folded from handle_spelling s join gone_handle g on g.handle = s.handle)
      and not exists (select 1 from video where user = handle_spelling.handle)
      and not exists (select 1 from video_revision where user = handle_spelling.handle)
      and not exists (select 1 from creator where handle = handle_spelling.handle)`,
  },
];

/** Rows of the marked subjects, by public table name; only tables that hold any. */
export const countMarkedRows = ({ sqlite }: Lake): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { table, name, where } of ROWS) {
    const n = required(
      prepare(sqlite, `select count(*) from ${table} where ${where}`, 'number').get(),
    );
    if (n > 0) counts[name] = n;
  }
  return counts;
};

/** SQL condition of the rows of a table that stay; `1` for tables that lose none. */
export const staysIn = (table: string): string => {
  if (table === 'run_items') return 'request not in (select request from gone_line)';
  const erased = ROWS.find((rows) => rows.table === table);
  return erased === undefined ? '1' : `not coalesce(${erased.where}, 0)`;
};

/** A Parquet file: a table, and its date or part. */
type MarkedPartition = readonly [table: string, date: string];

/** Parquet files that hold rows of the marked subjects. */
export const markedPartitions = ({ sqlite }: Lake): MarkedPartition[] => {
  const keys = prepare(sqlite, 'select key from gone_video', 'number').all();
  const parts = [...new Set(keys.map(partOfSubject))];
  const creators = prepare(sqlite, 'select count(*) from gone_creator', 'number').get() ?? 0;
  return [
    ...ROWS.flatMap(({ table, name, where, at }) =>
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

/** Removes the rows of the marked subjects. Call it in a transaction. @returns rows by table */
export const removeMarkedRows = (lake: Lake): Record<string, number> => {
  for (const [table, date] of markedPartitions(lake)) markTouched(lake, table, date);
  const counts: Record<string, number> = {};
  for (const { table, name, where } of ROWS) {
    const { changes } = lake.sqlite.prepare(`delete from ${table} where ${where}`).run();
    if (changes > 0) counts[name] = changes;
  }
  return counts;
};
