import { type Source, sourceCode } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { engagementRate } from '../wire/engagement-rate.ts';
import { insertOrMerge, type Tally } from './tally.ts';

/** A video's counts at one instant, as they are stored. */
export interface SeenCounts {
  at: number;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  extra: Record<string, unknown> | null;
}

/** Whether a look states a rate that its row would not show, stored or derived, once it is merged. */
const saysAnotherRate = `(@rate is not null and @rate is not case when rate_derived = 1
  then 100.0 * coalesce(@likes, likes) / nullif(coalesce(@views, views), 0) else engagement_rate end)`;

/** Writes video snapshots into one lake, its statements prepared once. */
export const snapshotWriter = ({ sqlite }: Lake) => {
  const insert = sqlite.prepare(`
    insert into video_snapshot
      (video_key, observed_at, views, likes, engagement_rate, rate_derived, source, extra)
    values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
  const merge = sqlite.prepare(`
    update video_snapshot set
      views = coalesce(@views, views),
      likes = coalesce(@likes, likes),
      engagement_rate = case when @derived = 1 then null when ${saysAnotherRate} then @rate else engagement_rate end,
      rate_derived = case when @derived = 1 then 1 when ${saysAnotherRate} then 0 else rate_derived end,
      extra = coalesce(@extra, extra),
      source = min(source, @source)
    where video_key = @key and observed_at = @at and (
      (@views is not null and views is not @views) or
      (@likes is not null and likes is not @likes) or
      (@derived = 1 and rate_derived = 0) or
      ${saysAnotherRate} or
      (@extra is not null and extra is not @extra) or
      @source < source)`);

  /**
   * Keeps one look at a video's counts. A second look at the same instant fills or corrects it
   * column by column, and of two sources the first in SOURCES stands, whichever came first; the same
   * look again changes nothing.
   */
  return (key: number, seen: SeenCounts, source: Source, tally: Tally): void => {
    const derivable = engagementRate(seen);
    const derived = seen.engagementRate !== null && seen.engagementRate === derivable;
    const row = {
      key,
      at: seen.at,
      views: seen.views,
      likes: seen.likes,
      rate: derived ? null : seen.engagementRate,
      derived: derived ? 1 : 0,
      source: sourceCode(source),
      extra: seen.extra === null ? null : JSON.stringify(seen.extra),
    };
    const change = insertOrMerge(insert, merge, row);
    tally.add('video_snapshots', change, seen.at);
  };
};
