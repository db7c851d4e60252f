import type { Statement } from 'better-sqlite3';
import { type Platform, type Source, sourceCode } from '../../../schema/vocabulary.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { HandleWriter } from './handle-writer.ts';
import { extraText, mergeExtra } from './join-extra.ts';
import { pickOf } from './merge-video.ts';
import { insertOrMerge, type Tally } from './tally.ts';

/** A creator as a response or an import showed it at one instant. */
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
  /** Fields of the counts at `at` that the interface does not show. */
  snapshotExtra: Record<string, unknown> | null;
  /** Counts at other instants than `at`, each once. */
  growth: {
    at: number;
    followers: number | null;
    views: number | null;
    likes: number | null;
    extra: Record<string, unknown> | null;
  }[];
}

/** Counts of a creator at one instant, as stored. */
interface CreatorCounts {
  at: number;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  extra: string | null;
}

/** A row of table `creator` without its keys. */
interface CreatorFacts {
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  engagementRate: number | null;
  firstSeenAt: number;
  extra: string | null;
}

interface KnownCreator extends CreatorFacts {
  key: number;
  /** Unix ms of its newest snapshot. */
  lastSeenAt: number | null;
}

/** Writes profiles and counts of creators. */
export class CreatorWriter {
  readonly #handles: HandleWriter;
  readonly #find: Prepared<KnownCreator>;
  readonly #insert: Prepared<number>;
  readonly #update: Statement;
  readonly #revise: Statement;
  readonly #insertSnapshot: Statement;
  readonly #mergeSnapshot: Statement;

  constructor(lake: Lake) {
    const { sqlite } = lake;
    this.#handles = lake.own(HandleWriter);
    this.#find = prepare(
      sqlite,
      `
      select key, followers, video_count as videoCount, views, likes,
        engagement_rate as engagementRate, first_seen_at as firstSeenAt, extra,
        (select max(observed_at) from creator_snapshot where creator_key = key) as lastSeenAt
      from creator where platform = ? and handle = ?`,
      {
        key: 'number',
        followers: 'number?',
        videoCount: 'number?',
        views: 'number?',
        likes: 'number?',
        engagementRate: 'number?',
        firstSeenAt: 'number',
        extra: 'text?',
        lastSeenAt: 'number?',
      },
    );
    this.#insert = prepare(
      sqlite,
      `
        insert into creator (platform, handle, followers, video_count, views, likes,
          engagement_rate, first_seen_at, extra)
        values (@platform, @handle, @followers, @videoCount, @views, @likes, @engagementRate,
          @firstSeenAt, @extra) returning key`,
      'number',
    );
    this.#update = sqlite.prepare(`
      update creator set followers = @followers, video_count = @videoCount, views = @views,
        likes = @likes, engagement_rate = @engagementRate, first_seen_at = @firstSeenAt,
        extra = @extra
      where key = @key`);
    this.#revise = sqlite.prepare(`
      insert into creator_revision (creator_key, until_at, engagement_rate, extra)
      values (?, ?, ?, ?) on conflict do nothing`);
    this.#insertSnapshot = sqlite.prepare(`
    insert into creator_snapshot
      (creator_key, observed_at, followers, video_count, views, likes, source, extra)
    values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
    this.#mergeSnapshot = sqlite.prepare(`
    update creator_snapshot set
      followers = coalesce(@followers, followers), video_count = coalesce(@videoCount, video_count),
      views = coalesce(@views, views), likes = coalesce(@likes, likes), extra = coalesce(@extra, extra)
    where creator_key = @key and observed_at = @at and (
      (@followers is not null and followers is not @followers) or
      (@videoCount is not null and video_count is not @videoCount) or
      (@views is not null and views is not @views) or
      (@likes is not null and likes is not @likes) or
      (@extra is not null and extra is not @extra))`);
  }

  /** Writes a profile and its counts. Repeating it changes nothing. */
  write(seen: SeenCreator, source: Source, tally: Tally): void {
    const key = this.#writeProfile(seen, tally);
    for (const { extra, ...point } of seen.growth) {
      const counts = {
        ...point,
        videoCount: null,
        extra: mergeExtra(null, extraText(extra), true),
      };
      this.#writeCounts(key, counts, source, tally);
    }
    const { at, followers, videoCount, views, likes, snapshotExtra } = seen;
    const extra = mergeExtra(null, extraText(snapshotExtra), true);
    this.#writeCounts(key, { at, followers, videoCount, views, likes, extra }, source, tally);
  }

  #writeProfile(seen: SeenCreator, tally: Tally): number {
    const { platform, handle } = seen;
    const before = this.#find.get(platform, handle);
    if (before === undefined) {
      const extra = mergeExtra(null, extraText(seen.extra), true);
      const { followers, videoCount, views, likes, engagementRate, at: firstSeenAt } = seen;
      const facts = { followers, videoCount, views, likes, engagementRate, firstSeenAt, extra };
      tally.add('creators', 'inserted');
      this.#handles.note(handle);
      return required(this.#insert.get({ platform, handle, ...facts }));
    }
    const after = mergeCreator(before, seen);
    const same = (Object.keys(after) as (keyof CreatorFacts)[]).every(
      (name) => after[name] === before[name],
    );
    const isRevised =
      after.engagementRate !== before.engagementRate || after.extra !== before.extra;
    if (isRevised && before.firstSeenAt < seen.at)
      this.#revise.run(before.key, seen.at, before.engagementRate, before.extra);
    if (!same) this.#update.run({ key: before.key, ...after });
    tally.add('creators', same ? 'unchanged' : 'updated');
    return before.key;
  }

  #writeCounts(key: number, counts: CreatorCounts, source: Source, tally: Tally): void {
    const { at, followers, videoCount, views, likes, extra } = counts;
    const row = { key, at, followers, videoCount, views, likes, source: sourceCode(source), extra };
    const change = insertOrMerge(this.#insertSnapshot, this.#mergeSnapshot, row);
    tally.add('creator_snapshots', change, { at });
  }
}

/** Merges a creator's row: the newer observation wins, an older one only fills gaps. */
const mergeCreator = (known: KnownCreator, seen: SeenCreator): CreatorFacts => {
  const newer = known.lastSeenAt === null || seen.at >= known.lastSeenAt;
  const pick = pickOf(newer);
  return {
    followers: pick(known.followers, seen.followers),
    videoCount: pick(known.videoCount, seen.videoCount),
    views: pick(known.views, seen.views),
    likes: pick(known.likes, seen.likes),
    engagementRate: pick(known.engagementRate, seen.engagementRate),
    firstSeenAt: Math.min(known.firstSeenAt, seen.at),
    extra: mergeExtra(known.extra, extraText(seen.extra), newer),
  };
};

/** Removes snapshots of creators after an instant (Unix ms). @returns how many */
export const removeCreatorSnapshotsAfter = ({ sqlite }: Lake, after: number): number =>
  sqlite.prepare('delete from creator_snapshot where observed_at > ?').run(after).changes;
