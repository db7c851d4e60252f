import type { Statement } from 'better-sqlite3';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { insertOrMerge, type Tally } from './tally.ts';

/** A pulled list. `platform` is '' for all platforms; `period` as in `rankings`. */
export interface ListName {
  list: 'feed' | 'trends' | 'hashtags' | 'import';
  platform: string;
  period: string;
}

/** One page of a list; the pages of one run share a capture. */
export interface SeenList extends ListName {
  at: number;
  total: number | null;
  runId: number | null;
  /** True for the last page, which completes the list. */
  isLast: boolean;
}

/** A video at a rank, with the figures it was ranked by. */
interface Ranked {
  rank: number;
  video: number; // key
  score: number | null;
  velocity: number | null;
}

/** A capture; `at` is the instant of its first page (Unix ms). */
export interface WrittenCapture {
  key: number;
  at: number;
}

/** Writes captures of lists and their ranks. */
export class RankingWriter {
  readonly #find: Prepared<WrittenCapture>;
  readonly #insert: Prepared<number>;
  readonly #complete: Statement;
  readonly #insertRank: Statement;
  readonly #mergeRank: Statement;

  constructor({ sqlite }: Lake) {
    this.#find = prepare(
      sqlite,
      `
      select key, captured_at as at from capture
      where list = +@list and platform = +@platform and period = +@period
        and (run_id = +@runId or captured_at = +@at) order by captured_at = +@at desc limit 1`,
      { key: 'number', at: 'number' },
    );
    this.#insert = prepare(
      sqlite,
      `
        insert into capture (list, platform, period, captured_at, completed_at, total, run_id)
        values (@list, @platform, @period, @at, null, @total, @runId) returning key`,
      'number',
    );
    this.#complete = sqlite.prepare(`
      update capture set completed_at = max(captured_at, @at)
      where key = @key and (completed_at is null or completed_at < @at)`);
    this.#insertRank = sqlite.prepare(`
    insert into ranking (capture_key, rank, video_key, score, velocity)
    values (?, ?, ?, ?, ?) on conflict do nothing`);
    this.#mergeRank = sqlite.prepare(`
    update ranking set video_key = @video, score = @score, velocity = @velocity
    where capture_key = @capture and rank = @rank
      and (video_key is not @video or score is not @score or velocity is not @velocity)`);
  }

  /**
   * Opens the capture of a page. The last page completes the list. Incomplete lists are not read, so the
   * partition is touched on completion.
   */
  open(seen: SeenList, tally: Tally): WrittenCapture {
    const { key, at } = this.#captureOf(seen);
    if (seen.isLast && this.#complete.run({ key, at: seen.at }).changes > 0)
      tally.touch('rankings', at);
    return { key, at };
  }

  /** Repeating it changes nothing. */
  write({ key, at }: WrittenCapture, seen: Ranked, tally: Tally): void {
    const { rank, video, score, velocity } = seen;
    const row = { capture: key, rank, video, score, velocity };
    tally.add('rankings', insertOrMerge(this.#insertRank, this.#mergeRank, row), { at });
  }

  /** Capture of the same run or instant, or a new one. */
  #captureOf({ isLast: _, ...seen }: SeenList): WrittenCapture {
    const known = this.#find.get(seen);
    return known ?? { key: required(this.#insert.get(seen)), at: seen.at };
  }
}

/** Removes lists captured or completed after an instant (Unix ms), with their ranks. @returns how many lists */
export const removeCapturesAfter = ({ sqlite }: Lake, after: number): number => {
  const found = 'select key from capture where captured_at > @after or completed_at > @after';
  sqlite.prepare(`delete from ranking where capture_key in (${found})`).run({ after });
  return sqlite.prepare(`delete from capture where key in (${found})`).run({ after }).changes;
};
