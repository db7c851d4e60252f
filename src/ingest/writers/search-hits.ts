import type { Lake } from '../../lake/open.ts';
import { prepare } from '../../lake/prepare.ts';

/** Results on one page of a search; the pages of one run share an instant. */
export interface SeenHits {
  readonly watchIds: readonly string[];
  /** Unix ms of this page. */
  readonly at: number;
  /** Results before this page; 0 for the first. */
  readonly offset: number;
  readonly total: number | null;
  /** Video keys by position on the page, from 0. */
  readonly videos: ReadonlyMap<number, number>;
}

/** Writes the results of watched searches. Loading a page again changes nothing. */
export const writeSearchHits = (
  { sqlite }: Lake,
  { watchIds, at, offset, total, videos }: SeenHits,
): void => {
  const startedAt = prepare(
    sqlite,
    'select max(captured_at) from search_hit where watch_id = ? and captured_at <= ?',
    'number?',
  );
  const insert = sqlite.prepare(
    `insert into search_hit (watch_id, captured_at, rank, video_key, total) values (?, ?, ?, ?, ?)
     on conflict do nothing`,
  );
  for (const watchId of watchIds) {
    const capturedAt = offset === 0 ? at : (startedAt.get(watchId, at) ?? at);
    for (const [position, video] of videos)
      insert.run(watchId, capturedAt, offset + position + 1, video, total);
  }
};
