import { type Platform, type Source, sourceCode } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { cleanTag } from '../wire/fields.ts';
import { foldName } from '../wire/folding.ts';
import { insertOrMerge, type Tally } from './tally.ts';
import type { WrittenVideo } from './videos.ts';

/** A hashtag's volume at one instant; platform '' where it covers all. */
export interface SeenHashtag {
  tag: string;
  platform: Platform | '';
  at: number;
  volume: number | null;
  views: number | null;
  change: number | null;
  rank: number | null;
  extra: Record<string, unknown> | null;
  /** What the volume counts over, such as `30d`; null: the source does not say. */
  window: string | null;
  source: Source;
}

const CACHED_TAGS = 100_000;

/** Writes hashtags, their volumes and which video carries them, its statements prepared once. */
export const hashtagWriter = ({ sqlite }: Lake) => {
  const find = sqlite.prepare('select key from hashtag where folded = ?').pluck();
  const insert = sqlite.prepare(
    'insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?)',
  );
  const insertLink = sqlite.prepare(`
    insert into video_hashtag (video_key, hashtag_key, position)
    values (?, ?, ?) on conflict do nothing`);
  const insertSnapshot = sqlite.prepare(`
    insert into hashtag_snapshot
      (hashtag_key, platform, observed_at, volume, views, change, rank, source, extra, window)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
  const mergeSnapshot = sqlite.prepare(`
    update hashtag_snapshot set
      volume = coalesce(@volume, volume), views = coalesce(@views, views),
      change = coalesce(@change, change), rank = coalesce(@rank, rank),
      extra = coalesce(@extra, extra), window = coalesce(@window, window)
    where hashtag_key = @key and platform = @platform and observed_at = @at and (
      (@volume is not null and volume is not @volume) or
      (@views is not null and views is not @views) or
      (@change is not null and change is not @change) or
      (@rank is not null and rank is not @rank) or
      (@extra is not null and extra is not @extra) or
      (@window is not null and window is not @window))`);

  // By spelling, because folding costs more than looking up. Keys that a failed transaction had
  // inserted are forgotten: see `forget`.
  const keys = new Map<string, number>();

  const keyOf = (tag: string, at: number | null, tally: Tally): number => {
    const cached = keys.get(tag);
    if (cached !== undefined) return cached;
    const folded = foldName(tag);
    let key = find.get(folded) as number | undefined;
    if (key === undefined) {
      key = Number(insert.run(tag, folded, at).lastInsertRowid);
      tally.add('hashtags', 'inserted');
    }
    if (keys.size >= CACHED_TAGS) keys.clear();
    keys.set(tag, key);
    return key;
  };

  /** Adds the hashtags a video carries; `onNew` is told before the first. Tags it carried before stay. */
  const link = (
    { key: videoKey, tagKeys }: Pick<WrittenVideo, 'key' | 'tagKeys'>,
    tags: readonly string[],
    at: number | null,
    tally: Tally,
    onNew: () => void,
  ): void => {
    let isTold = false;
    tags.forEach((raw, position) => {
      const tag = cleanTag(raw);
      if (tag === '') return;
      const hashtagKey = keyOf(tag, at, tally);
      const change = tagKeys.has(hashtagKey) ? 'unchanged' : 'inserted';
      if (change === 'inserted') {
        if (!isTold) onNew();
        isTold = true;
        insertLink.run(videoKey, hashtagKey, position);
      }
      tagKeys.add(hashtagKey);
      tally.add('video_hashtags', change);
    });
  };

  /** Keeps a hashtag's volume at one instant; the same again changes nothing. */
  const write = (seen: SeenHashtag, tally: Tally): void => {
    const key = keyOf(cleanTag(seen.tag), seen.at, tally);
    const { platform, at, volume, views, change: growth, rank, window } = seen;
    const row = {
      key,
      platform,
      at,
      volume,
      views,
      change: growth,
      rank,
      source: sourceCode(seen.source),
      extra: seen.extra === null ? null : JSON.stringify(seen.extra),
      window,
    };
    const change = insertOrMerge(insertSnapshot, mergeSnapshot, row);
    tally.add('hashtag_snapshots', change, seen.at);
  };

  /** Forgets cached keys; call after a transaction was rolled back. */
  const forget = (): void => keys.clear();
  return { link, write, forget };
};
