/**
 * Statistics of the tables for the query planner: their usual shapes, [table, index, `rows
 * rows-per-key ...`]. Without any, SQLite takes every table for equally large and reads all
 * rankings where a few captures would do; measured ones (ANALYZE) would change plans behind an
 * analyst's back as a lake grows. Tables missing here are planned by SQLite's own guesses.
 *
 * Snapshots and links are given as few more than their subjects, whatever a lake holds: then a query of
 * all of them walks the subjects and steps through what each has, where it would look up a wide row
 * for each one in the order of an index, and a span of time still reads the index on time.
 */
export const PLAN_STATISTICS: readonly (readonly [string, string | null, string])[] = [
  ['capture', 'capture_identity', '20000 5000 2000 1000 1'],
  ['capture', 'capture_platform', '20000 5000 1'],
  ['capture', 'capture_captured_at', '20000 1'],
  ['capture', 'capture_completed_at', '20000 1'],
  ['capture', 'capture_run', '20000 15'],
  ['ranking', 'ranking', '2000000 100 1'],
  ['ranking', 'ranking_video', '2000000 20'],
  ['video', 'video_id_unique', '1000000 1'],
  ['video', 'video_platform_user', '1000000 330000 5'],
  ['video', 'video_created_at', '1000000 1'],
  ['video', 'video_first_seen_at', '1000000 50'],
  ['video_snapshot', 'video_snapshot', '1300000 2 1'],
  ['video_snapshot', 'video_snapshot_observed_at', '1300000 2'],
  ['video_hashtag', 'video_hashtag', '2000000 2 1'],
  ['video_hashtag', 'video_hashtag_hashtag', '2000000 100'],
  ['creator_snapshot', 'creator_snapshot', '1400000 2 1'],
  ['creator_snapshot', 'creator_snapshot_observed_at', '1400000 2'],
];
