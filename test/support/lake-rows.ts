import type Database from 'better-sqlite3';
import type { Lake } from '../../src/lake/open.ts';

/** Everything that answers and imports put into a lake, by its public names. */
const LOADED: Record<string, string> = {
  videos: 'select * from videos order by id',
  video_snapshots: 'select * from video_snapshots order by video_id, observed_at',
  rankings:
    'select list, platform, period, captured_at, rank, video_id, total, score, velocity from rankings order by 1, 2, 3, 4, 5',
  hashtags: 'select * from hashtags order by tag',
  hashtag_snapshots: 'select * from hashtag_snapshots order by tag, platform, observed_at',
  video_hashtags: 'select * from video_hashtags order by video_id, position, tag',
  creators: 'select * from creators order by platform, handle',
  creator_snapshots: 'select * from creator_snapshots order by platform, handle, observed_at',
  analyses: 'select * from analyses order by video_id, generated_at',
  video_revision:
    'select v.id, r.until_at, r.title, r.user from video_revision r join video v on v.key = r.video_key order by 1, 2',
};

/** The loaded rows of a lake, keys of storage left out, in an order that only depends on them. */
export const lakeRows = ({ sqlite }: { sqlite: Database.Database }): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(LOADED).map(([table, sql]) => [table, sqlite.prepare(sql).all()]),
  );

/** One number of a lake. */
export const countOf = ({ sqlite }: Pick<Lake, 'sqlite'>, sql: string): number =>
  sqlite.prepare(sql).pluck().get() as number;
