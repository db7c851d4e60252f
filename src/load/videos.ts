import { eq, sql } from 'drizzle-orm';
import { video } from '../../schema/video.ts';
import { videoRevision } from '../../schema/video-revision.ts';
import { videoSnapshot } from '../../schema/video-snapshot.ts';
import type { Lake } from '../lake/open.ts';
import {
  type KnownVideo,
  mergeVideo,
  type SeenVideo,
  sameVideo,
  type VideoFacts,
} from './merge-video.ts';
import type { Tally } from './tally.ts';
import { typedLake } from './typed-lake.ts';

const p = sql.placeholder;
const FACTS = {
  title: p('title'),
  user: p('user'),
  views: p('views'),
  likes: p('likes'),
  engagementRate: p('engagementRate'),
  createdAt: p('createdAt'),
  firstSeenAt: p('firstSeenAt'),
  extra: p('extra'),
};

/** Where a video stands after it was written. */
export interface WrittenVideo {
  key: number;
  isNew: boolean;
  /** True when its title is another than before. */
  retitled: boolean;
}

/** A video while its transaction is under way. */
interface OpenVideo {
  /** True when this transaction inserted it. */
  readonly isNew: boolean;
  /** The row as it stands in the table. */
  readonly stored: VideoFacts;
  now: KnownVideo;
}

/** Writes videos into one lake, its statements prepared once. */
export const videoWriter = (lake: Lake) => {
  const db = typedLake(lake);
  const find = db
    .select({
      key: video.key,
      title: video.title,
      user: video.user,
      views: video.views,
      likes: video.likes,
      engagementRate: video.engagementRate,
      createdAt: video.createdAt,
      firstSeenAt: video.firstSeenAt,
      extra: video.extra,
      lastSeenAt: sql<
        number | null
      >`(select max(${videoSnapshot.observedAt}) from ${videoSnapshot} where ${videoSnapshot.videoKey} = ${video.key})`,
    })
    .from(video)
    .where(eq(video.id, p('id')))
    .prepare();
  const insert = db
    .insert(video)
    .values({ id: p('id'), platform: p('platform'), ...FACTS })
    .returning({ key: video.key })
    .prepare();
  const update = db
    .update(video)
    .set(FACTS as never)
    .where(eq(video.key, p('key')))
    .prepare();
  const revise = db
    .insert(videoRevision)
    .values({ videoKey: p('key'), untilAt: p('at'), title: p('title'), user: p('user') })
    .onConflictDoNothing()
    .prepare();

  /** Videos of the transaction under way, by id, as they will stand at its end. */
  const open = new Map<string, OpenVideo>();

  const openOf = (seen: SeenVideo, tally: Tally): OpenVideo => {
    const cached = open.get(seen.id);
    if (cached !== undefined) return cached;
    const before = find.get({ id: seen.id });
    const video: OpenVideo =
      before === undefined ? insertNew(seen, tally) : { isNew: false, stored: before, now: before };
    open.set(seen.id, video);
    return video;
  };

  const insertNew = (seen: SeenVideo, tally: Tally): OpenVideo => {
    const { id, platform, at, extra, ...facts } = seen;
    const row = {
      ...facts,
      firstSeenAt: at,
      extra: extra === null ? null : JSON.stringify(extra),
    };
    const { key } = insert.get({ id, platform, ...row });
    tally.add('videos', 'inserted');
    return { isNew: true, stored: row, now: { key, ...row, lastSeenAt: null } };
  };

  /**
   * Keeps what was seen of a video. The words it no longer has go to `video_revision`. A known
   * video's row is written once for each transaction, by `flush`; the second write of the same
   * changes nothing.
   */
  const write = (seen: SeenVideo, tally: Tally): WrittenVideo => {
    const fresh = !open.has(seen.id);
    const video = openOf(seen, tally);
    const { key } = video.now;
    if (fresh && video.isNew) return { key, isNew: true, retitled: false };
    const before = video.now;
    const after = mergeVideo(before, seen);
    if (sameVideo(before, after)) return { key, isNew: false, retitled: false };
    video.now = { key, lastSeenAt: before.lastSeenAt, ...after };
    const retitled = after.title !== before.title;
    const reworded =
      (retitled && before.title !== null) || (after.user !== before.user && before.user !== null);
    if (reworded && seen.at !== null)
      revise.run({ key, at: seen.at, title: before.title, user: before.user });
    return { key, isNew: false, retitled };
  };

  /** Notes that the counts of a video written before were seen at an instant. */
  const sawCounts = (id: string, at: number): void => {
    const video = open.get(id);
    if (video !== undefined) video.now.lastSeenAt = Math.max(video.now.lastSeenAt ?? at, at);
  };

  /** Writes the rows that changed. Call before the transaction's end. */
  const flush = (tally: Tally): void => {
    for (const video of open.values()) {
      const { stored, now, isNew } = video;
      const same = sameVideo(stored, now);
      if (!same) {
        const { lastSeenAt: _, ...row } = now;
        update.run(row);
      }
      if (!isNew) tally.add('videos', same ? 'unchanged' : 'updated');
    }
    open.clear();
  };
  /** Forgets the transaction under way; call when it was rolled back. */
  const forget = (): void => open.clear();
  return { write, sawCounts, flush, forget };
};
