import { sql } from 'drizzle-orm';
import { capture } from '../../schema/capture.ts';
import type { Lake } from '../lake/open.ts';
import { insertOrMerge, type Tally } from './tally.ts';
import { typedLake } from './typed-lake.ts';

/** Which list was looked at. `platform` '' where it covers all; `period` as in `rankings`. */
export interface ListName {
  list: 'feed' | 'trends' | 'hashtags';
  platform: string;
  period: string;
}

/** One page of a list; the pages of one run share a capture. */
export interface SeenList extends ListName {
  at: number;
  total: number | null;
  runId: number | null;
  /** True where no page comes after it: with it the list is whole. */
  isLast: boolean;
}

/** A capture found or made; `at` is the instant its first page was true at. */
export interface WrittenCapture {
  key: number;
  at: number;
}

const p = sql.placeholder;

/** Writes looks at lists and who stood where in them, its statements prepared once. */
export const rankingWriter = (lake: Lake) => {
  const { sqlite } = lake;
  const db = typedLake(lake);
  const identity = 'list = @list and platform = @platform and period = @period';
  const find = sqlite.prepare(`
    select key, captured_at as at from capture
    where ${identity} and (run_id = @runId or captured_at = @at) order by captured_at = @at desc limit 1`);
  const insert = db
    .insert(capture)
    .values({
      list: p('list'),
      platform: p('platform'),
      period: p('period'),
      capturedAt: p('at'),
      completedAt: null,
      total: p('total'),
      runId: p('runId'),
    })
    .returning({ key: capture.key })
    .prepare();
  const complete = sqlite.prepare(
    'update capture set completed_at = max(captured_at, @at) where key = @key and (completed_at is null or completed_at < @at)',
  );
  const insertRank = sqlite.prepare(`
    insert into ranking (capture_key, rank, video_key, score, velocity)
    values (?, ?, ?, ?, ?) on conflict do nothing`);
  const mergeRank = sqlite.prepare(`
    update ranking set video_key = @video, score = @score, velocity = @velocity
    where capture_key = @capture and rank = @rank
      and (video_key is not @video or score is not @score or velocity is not @velocity)`);

  /** The capture that a page belongs to: that of its run, or of its instant, or a new one. */
  const captureOf = ({ isLast: _, ...seen }: SeenList): WrittenCapture =>
    (find.get(seen) as WrittenCapture | undefined) ?? { key: insert.get(seen).key, at: seen.at };

  /**
   * Opens the capture of a page for its ranks. The last page makes the list whole, at the instant it
   * is true at: until then nobody reads any of it, so its partition is touched with it.
   */
  const open = (seen: SeenList, tally: Tally): WrittenCapture => {
    const { key, at } = captureOf(seen);
    if (seen.isLast && complete.run({ key, at: seen.at }).changes > 0) tally.touch('rankings', at);
    return { key, at };
  };

  /** Keeps that a video stood at a rank of a capture; the same again changes nothing. */
  const place = (
    { key, at }: WrittenCapture,
    seen: { rank: number; video: number; score: number | null; velocity: number | null },
    tally: Tally,
  ): void => {
    const { rank, video, score, velocity } = seen;
    const row = { capture: key, rank, video, score, velocity };
    const change = insertOrMerge(insertRank, mergeRank, row);
    tally.add('rankings', change, at);
  };
  return { open, place };
};
