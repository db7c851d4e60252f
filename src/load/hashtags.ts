import { eq, sql } from 'drizzle-orm';
import { hashtag } from '../../schema/hashtag.ts';
import { hashtagSnapshot } from '../../schema/hashtag-snapshot.ts';
import { videoHashtag } from '../../schema/video-hashtag.ts';
import { type Platform, type Source, sourceCode } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { insertOrMerge, type Tally } from './tally.ts';
import { cleanTag, foldTag } from './title-hashtags.ts';
import { typedLake } from './typed-lake.ts';

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
}

const p = sql.placeholder;
const CACHED_TAGS = 100_000;

/** Writes hashtags, their volumes and which video carries them, its statements prepared once. */
export const hashtagWriter = (lake: Lake) => {
  const { sqlite } = lake;
  const db = typedLake(lake);
  const find = db
    .select({ key: hashtag.key })
    .from(hashtag)
    .where(eq(hashtag.folded, p('folded')))
    .prepare();
  const insert = db
    .insert(hashtag)
    .values({ tag: p('tag'), folded: p('folded'), firstSeenAt: p('at') })
    .returning({ key: hashtag.key })
    .prepare();
  const insertLink = db
    .insert(videoHashtag)
    .values({ videoKey: p('videoKey'), hashtagKey: p('hashtagKey'), position: p('position') })
    .onConflictDoNothing()
    .prepare();
  const linked = sqlite
    .prepare('select hashtag_key from video_hashtag where video_key = ?')
    .pluck();
  const insertSnapshot = db
    .insert(hashtagSnapshot)
    .values({
      hashtagKey: p('key'),
      platform: p('platform'),
      observedAt: p('at'),
      volume: p('volume'),
      views: p('views'),
      change: p('change'),
      rank: p('rank'),
      source: p('source'),
      extra: p('extra'),
    })
    .onConflictDoNothing()
    .prepare();
  const mergeSnapshot = sqlite.prepare(`
    update hashtag_snapshot set
      volume = coalesce(@volume, volume), views = coalesce(@views, views),
      change = coalesce(@change, change), rank = coalesce(@rank, rank),
      extra = coalesce(@extra, extra)
    where hashtag_key = @key and platform = @platform and observed_at = @at and (
      (@volume is not null and volume is not @volume) or
      (@views is not null and views is not @views) or
      (@change is not null and change is not @change) or
      (@rank is not null and rank is not @rank) or
      (@extra is not null and extra is not @extra))`);

  // By spelling, because folding costs more than looking up. Keys that a failed transaction had
  // inserted are forgotten: see `forget`.
  const keys = new Map<string, number>();

  const keyOf = (tag: string, at: number | null, tally: Tally): number => {
    const cached = keys.get(tag);
    if (cached !== undefined) return cached;
    const folded = foldTag(tag);
    let key = find.get({ folded })?.key;
    if (key === undefined) {
      key = insert.get({ tag, folded, at }).key;
      tally.add('hashtags', 'inserted');
    }
    if (keys.size >= CACHED_TAGS) keys.clear();
    keys.set(tag, key);
    return key;
  };

  /** Adds the hashtags a video carries. Tags it carried before stay. */
  const link = (
    videoKey: number,
    isNew: boolean,
    tags: readonly string[],
    at: number | null,
    tally: Tally,
  ): void => {
    if (tags.length === 0) return;
    const have = isNew ? new Set<number>() : new Set(linked.all(videoKey) as number[]);
    tags.forEach((raw, position) => {
      const tag = cleanTag(raw);
      if (tag === '') return;
      const hashtagKey = keyOf(tag, at, tally);
      const change = have.has(hashtagKey) ? 'unchanged' : 'inserted';
      if (change === 'inserted') insertLink.run({ videoKey, hashtagKey, position });
      have.add(hashtagKey);
      tally.add('video_hashtags', change);
    });
  };

  /** Keeps a hashtag's volume at one instant; the same again changes nothing. */
  const write = (seen: SeenHashtag, source: Source, tally: Tally): void => {
    const key = keyOf(cleanTag(seen.tag), seen.at, tally);
    const extra = seen.extra === null ? null : JSON.stringify(seen.extra);
    const row = { ...seen, key, source: sourceCode(source), extra };
    const change = insertOrMerge(insertSnapshot, mergeSnapshot, row);
    tally.add('hashtag_snapshots', change, seen.at);
  };

  /** Forgets cached keys; call after a transaction was rolled back. */
  const forget = (): void => keys.clear();
  return { link, write, forget };
};
