import type { Statement } from 'better-sqlite3';
import { sourceCode } from '../../../schema/vocabulary.ts';
import { engagementRate } from '../../base/wire/engagement-rate.ts';
import type { VideoObservation } from '../../base/wire/observation.ts';
import type { Lake } from '../../lake/open.ts';
import { extraText } from './join-extra.ts';
import type { SnapshotSource } from './merge-video.ts';
import { insertOrMerge, type Tally } from './tally.ts';

/** Instant and source of counts. */
interface SeenAt {
  /** Unix ms. */
  at: number;
  source: SnapshotSource;
}

/** SQL: the observation states a rate that the merged row would not have. */
const HAS_OTHER_RATE = `(@rate is not null and @rate is not case when rate_derived = 1
  then 100.0 * coalesce(@likes, likes) / nullif(coalesce(@views, views), 0) else engagement_rate end)`;

const INSERT = `
    insert into video_snapshot
      (video_key, observed_at, views, likes, engagement_rate, rate_derived, source, extra)
    values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`;

const MERGE = `
    update video_snapshot set
      views = coalesce(@views, views),
      likes = coalesce(@likes, likes),
      engagement_rate = case when @derived = 1 then null when ${HAS_OTHER_RATE} then @rate else engagement_rate end,
      rate_derived = case when @derived = 1 then 1 when ${HAS_OTHER_RATE} then 0 else rate_derived end,
      extra = coalesce(@extra, extra),
      source = min(source, @source)
    where video_key = @key and observed_at = @at and (
      (@views is not null and views is not @views) or
      (@likes is not null and likes is not @likes) or
      (@derived = 1 and rate_derived = 0) or
      ${HAS_OTHER_RATE} or
      (@extra is not null and extra is not @extra) or
      @source < source)`;

/** Writes video snapshots. */
export class SnapshotWriter {
  readonly #insert: Statement;
  readonly #merge: Statement;

  constructor({ sqlite }: Lake) {
    this.#insert = sqlite.prepare(INSERT);
    this.#merge = sqlite.prepare(MERGE);
  }

  /**
   * Writes counts of a video at an instant. A second observation of the instant corrects them column by
   * column; of two sources, the one earlier in SOURCES is kept. Repeating it changes nothing.
   */
  write(key: number, seen: VideoObservation, { at, source }: SeenAt, tally: Tally): void {
    const derivable = engagementRate(seen);
    const derived = seen.engagementRate !== null && seen.engagementRate === derivable;
    const row = {
      key,
      at,
      views: seen.views,
      likes: seen.likes,
      rate: derived ? null : seen.engagementRate,
      derived: derived ? 1 : 0,
      source: sourceCode(source),
      extra: extraText(seen.snapshotExtra),
    };
    const change = insertOrMerge(this.#insert, this.#merge, row);
    tally.add('video_snapshots', change, { at, subjectKey: key });
  }
}

/** Removes snapshots observed after an instant (Unix ms). @returns how many */
export const removeSnapshotsAfter = ({ sqlite }: Lake, after: number): number =>
  sqlite.prepare('delete from video_snapshot where observed_at > ?').run(after).changes;
