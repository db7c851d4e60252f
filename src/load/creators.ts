import { and, eq, sql } from 'drizzle-orm';
import { creator } from '../../schema/creator.ts';
import { creatorSnapshot } from '../../schema/creator-snapshot.ts';
import { type Platform, type Source, sourceCode } from '../../schema/vocabulary.ts';
import type { Lake } from '../lake/open.ts';
import { mergeExtra } from './join-extra.ts';
import { pickOf } from './merge-video.ts';
import { insertOrMerge, type Tally } from './tally.ts';
import { typedLake } from './typed-lake.ts';

/** A creator as an answer or an import showed it at one instant. */
export interface SeenCreator {
  platform: Platform;
  handle: string;
  at: number;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  /** Fields of the profile that the interface does not show. */
  extra: Record<string, unknown> | null;
  /** Counts at other instants than `at`, each once. */
  growth: {
    at: number;
    followers: number | null;
    views: number | null;
    likes: number | null;
    extra: Record<string, unknown> | null;
  }[];
}

/** A creator's counts at one instant, as they are stored. */
interface CreatorCounts {
  at: number;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  extra: string | null;
}

const p = sql.placeholder;

/** Writes creators' profiles and counts, its statements prepared once. */
export const creatorWriter = (lake: Lake) => {
  const { sqlite } = lake;
  const db = typedLake(lake);
  const find = db
    .select({
      key: creator.key,
      followers: creator.followers,
      videoCount: creator.videoCount,
      views: creator.views,
      likes: creator.likes,
      engagementRate: creator.engagementRate,
      firstSeenAt: creator.firstSeenAt,
      extra: creator.extra,
      lastSeenAt: sql<
        number | null
      >`(select max(${creatorSnapshot.observedAt}) from ${creatorSnapshot} where ${creatorSnapshot.creatorKey} = ${creator.key})`,
    })
    .from(creator)
    .where(and(eq(creator.platform, p('platform')), eq(creator.handle, p('handle'))))
    .prepare();
  const facts = {
    followers: p('followers'),
    videoCount: p('videoCount'),
    views: p('views'),
    likes: p('likes'),
    engagementRate: p('engagementRate'),
    firstSeenAt: p('firstSeenAt'),
    extra: p('extra'),
  };
  const insert = db
    .insert(creator)
    .values({ platform: p('platform'), handle: p('handle'), ...facts })
    .returning({ key: creator.key })
    .prepare();
  const update = db
    .update(creator)
    .set(facts as never)
    .where(eq(creator.key, p('key')))
    .prepare();
  const revise = sqlite.prepare(`
    insert into creator_revision (creator_key, until_at, engagement_rate, extra) values (?, ?, ?, ?)
    on conflict do nothing`);
  const insertSnapshot = sqlite.prepare(`
    insert into creator_snapshot
      (creator_key, observed_at, followers, video_count, views, likes, source, extra)
    values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
  const mergeSnapshot = sqlite.prepare(`
    update creator_snapshot set
      followers = coalesce(@followers, followers), video_count = coalesce(@videoCount, video_count),
      views = coalesce(@views, views), likes = coalesce(@likes, likes), extra = coalesce(@extra, extra)
    where creator_key = @key and observed_at = @at and (
      (@followers is not null and followers is not @followers) or
      (@videoCount is not null and video_count is not @videoCount) or
      (@views is not null and views is not @views) or
      (@likes is not null and likes is not @likes) or
      (@extra is not null and extra is not @extra))`);

  const writeProfile = (seen: SeenCreator, tally: Tally): number => {
    const before = find.get({ platform: seen.platform, handle: seen.handle });
    if (before === undefined) {
      const extra = mergeExtra(null, seen.extra, true);
      const { key } = insert.get({ ...seen, extra, firstSeenAt: seen.at });
      tally.add('creators', 'inserted');
      return key;
    }
    const newer = before.lastSeenAt === null || seen.at >= before.lastSeenAt;
    const pick = pickOf(newer);
    const after = {
      followers: pick(before.followers, seen.followers),
      videoCount: pick(before.videoCount, seen.videoCount),
      views: pick(before.views, seen.views),
      likes: pick(before.likes, seen.likes),
      engagementRate: pick(before.engagementRate, seen.engagementRate),
      firstSeenAt: Math.min(before.firstSeenAt, seen.at),
      extra: mergeExtra(before.extra, seen.extra, newer),
    };
    const same = (Object.keys(after) as (keyof typeof after)[]).every(
      (name) => after[name] === before[name],
    );
    const isRevised =
      after.engagementRate !== before.engagementRate || after.extra !== before.extra;
    if (isRevised && before.firstSeenAt < seen.at)
      revise.run(before.key, seen.at, before.engagementRate, before.extra);
    if (!same) update.run({ key: before.key, ...after });
    tally.add('creators', same ? 'unchanged' : 'updated');
    return before.key;
  };

  /**
   * Keeps a creator's profile and counts. `snapshotExtra` are further fields of this observation,
   * where they belong to the look and not to the profile. The same again changes nothing.
   */
  return (
    seen: SeenCreator,
    source: Source,
    tally: Tally,
    snapshotExtra: Record<string, unknown> | null = null,
  ): void => {
    const key = writeProfile(seen, tally);
    const keep = (counts: CreatorCounts): void => {
      const { at, followers, videoCount, views, likes, extra } = counts;
      const row = {
        key,
        at,
        followers,
        videoCount,
        views,
        likes,
        source: sourceCode(source),
        extra,
      };
      const change = insertOrMerge(insertSnapshot, mergeSnapshot, row);
      tally.add('creator_snapshots', change, at);
    };
    for (const { extra, ...point } of seen.growth)
      keep({ ...point, videoCount: null, extra: mergeExtra(null, extra, true) });
    const { at, followers, videoCount, views, likes } = seen;
    const extra = mergeExtra(null, snapshotExtra, true);
    keep({ at, followers, videoCount, views, likes, extra });
  };
};
