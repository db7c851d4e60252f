import type { Statement } from 'better-sqlite3';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare, required } from '../../lake/prepare.ts';
import { HandleWriter } from './handle-writer.ts';
import { formerFields } from './join-extra.ts';
import {
  type KnownVideo,
  lastSeenOf,
  mergeVideo,
  type SeenVideo,
  sameButCounts,
  sameVideo,
  statesWords,
  type VideoFacts,
  wasSeenBefore,
} from './merge-video.ts';
import { type EarlierWords, RevisionWriter } from './revisions.ts';
import type { Tally } from './tally.ts';

/** State of a video after an observation. */
export interface NotedVideo {
  key: number;
  isNew: boolean;
  /** True if its title changed. */
  retitled: boolean;
  /** Words stated before it was seen last, for `weave`; null: no words, or the newest. */
  earlier: EarlierWords | null;
  /** For the other methods of the writer. */
  open: OpenVideo;
}

/** A video during the transaction. */
interface OpenVideo {
  readonly isNew: boolean;
  /** False until its first observation of the transaction was noted. */
  isNoted: boolean;
  /** Its row in the table. */
  readonly stored: VideoFacts;
  /** Keys of its hashtags; undefined until they are read. */
  tagKeys: Set<number> | undefined;
  now: KnownVideo;
}

const INSERT = `
  insert into video
    (id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra,
     collected_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const READ = `
  select key, id, title, user, views, likes, engagement_rate as engagementRate,
    created_at as createdAt, first_seen_at as firstSeenAt, extra,
    (select max(observed_at) from video_snapshot where video_key = video.key) as countedAt,
    (select max(until_at) from video_revision where video_key = video.key) as statedAt
  from video where id in (select value from json_each(?))`;

/** Writes videos. `flush` writes the row of a known video once per transaction. */
export class VideoWriter {
  readonly #handles: HandleWriter;
  readonly #revisions: RevisionWriter;
  readonly #read: Prepared<KnownVideo & { id: string }>;
  readonly #readTags: Prepared<number>;
  readonly #insert: Statement;
  // Most updates change only counts. Naming an indexed column would rewrite its index.
  readonly #updateCounts: Statement;
  readonly #update: Statement;
  readonly #reviseExtra: Statement;
  /** Unix ms at which the rows of this transaction were collected; null: unknown. */
  collectedAt: number | null = null;
  /** Videos of this transaction by id. */
  readonly #open = new Map<string, OpenVideo>();

  constructor(lake: Lake) {
    const { sqlite } = lake;
    this.#handles = lake.own(HandleWriter);
    this.#revisions = new RevisionWriter(lake);
    this.#read = prepare(sqlite, READ, {
      key: 'number',
      id: 'text',
      title: 'text?',
      user: 'text?',
      views: 'number?',
      likes: 'number?',
      engagementRate: 'number?',
      createdAt: 'number?',
      firstSeenAt: 'number?',
      extra: 'text?',
      countedAt: 'number?',
      statedAt: 'number?',
    });
    this.#readTags = prepare(
      sqlite,
      'select hashtag_key from video_hashtag where video_key = ?',
      'number',
    );
    this.#insert = sqlite.prepare(INSERT);
    this.#updateCounts = sqlite.prepare(
      'update video set views = ?, likes = ?, engagement_rate = ? where key = ?',
    );
    this.#update = sqlite.prepare(`
      update video set title = ?, user = ?, views = ?, likes = ?, engagement_rate = ?,
        created_at = ?, first_seen_at = ?, extra = ? where key = ?`);
    this.#reviseExtra = sqlite.prepare(`
      insert into extra_revision (video_key, until_at, fields) values (?, ?, ?)
      on conflict do update set fields = json_patch(excluded.fields, fields)`);
  }

  /**
   * Reads videos that are about to be noted in one statement, and inserts the ones the lake lacks. Of
   * two observations of a new video, the first becomes its row.
   */
  open(seen: readonly SeenVideo[], tally: Tally): void {
    const unopened = seen.filter(({ id }) => !this.#open.has(id));
    if (unopened.length === 0) return;
    for (const { id, ...known } of this.#read.all(JSON.stringify(unopened.map(({ id }) => id))))
      this.#open.set(id, {
        isNew: false,
        isNoted: false,
        stored: known,
        tagKeys: undefined,
        now: { ...known },
      });
    for (const video of unopened) if (!this.#open.has(video.id)) this.#openNew(video, tally);
  }

  /** Notes an observation. Former words go to `video_revision`. */
  note(seen: SeenVideo, tally: Tally): NotedVideo {
    this.open([seen], tally);
    const open = required(this.#open.get(seen.id));
    const { now: before, isNoted } = open;
    const { key } = before;
    open.isNoted = true;
    if (open.isNew && !isNoted) return { key, isNew: true, retitled: false, earlier: null, open };
    const states = statesWords(seen);
    const isEarlier = states && seen.at < (lastSeenOf(before) ?? seen.at);
    const earlier = isEarlier ? this.#revisions.readEarlier(before, seen) : null;
    const after = mergeVideo(before, seen);
    let retitled = after.title !== before.title;
    if (!sameVideo(before, after)) {
      open.now = { key, countedAt: before.countedAt, statedAt: before.statedAt, ...after };
      if (after.user !== before.user) this.#handles.note(after.user);
      if (earlier === null && (retitled || after.user !== before.user))
        this.#keepWords(before, seen.at);
      if (after.extra !== before.extra && wasSeenBefore(before, seen.at))
        this.#reviseExtra.run(key, seen.at, formerFields(before.extra, after.extra));
    }
    if (states) open.now.statedAt = Math.max(seen.at, before.statedAt ?? seen.at);
    if (earlier !== null) retitled = seen.hashtags === null && this.#revisions.isRetitled(earlier);
    return { key, isNew: false, retitled, earlier, open };
  }

  /** Keeps the words a video had before an instant at which it gets more hashtags. Call before linking. */
  retag({ open }: NotedVideo, at: number | null): void {
    this.#keepWords(open.now, at);
  }

  /** Weaves earlier words into the later ones. Call before linking their hashtags. */
  weave(noted: NotedVideo, earlier: EarlierWords, tagKeys: readonly number[]): void {
    const { title, user } = this.#revisions.weave(earlier, tagKeys, this.tagKeysOf(noted));
    this.#handles.note(earlier.user);
    noted.open.now = { ...noted.open.now, title, user };
  }

  /** Keys of a video's hashtags. Whoever links more adds them. */
  tagKeysOf({ key, open }: NotedVideo): Set<number> {
    open.tagKeys ??= new Set(this.#readTags.all(key));
    return open.tagKeys;
  }

  /** Notes that the counts of a video were seen at an instant (Unix ms). */
  sawCounts({ open: { now } }: NotedVideo, at: number): void {
    now.countedAt = Math.max(now.countedAt ?? at, at);
  }

  /** Writes the rows that changed. Call before the transaction's end. */
  flush(tally: Tally): void {
    for (const { stored, now, isNew } of this.#open.values()) {
      const same = sameVideo(stored, now);
      if (!same) this.#updateRow(stored, now);
      if (!isNew) tally.add('videos', same ? 'unchanged' : 'updated', { subjectKey: now.key });
    }
    this.forget();
  }

  /** Forgets the transaction after a rollback. */
  forget(): void {
    this.#open.clear();
  }

  #keepWords(before: KnownVideo, at: number | null): void {
    if (wasSeenBefore(before, at)) this.#revisions.keep(before, at);
  }

  #openNew(seen: SeenVideo, tally: Tally): void {
    const { id, platform, at, title, user, views, likes, engagementRate, createdAt, extra } = seen;
    const facts = [title, user, views, likes, engagementRate, createdAt, at, extra];
    const { lastInsertRowid } = this.#insert.run(id, platform, ...facts, this.collectedAt);
    const key = Number(lastInsertRowid);
    this.#handles.note(user);
    tally.add('videos', 'inserted', { subjectKey: key });
    const stored = { title, user, views, likes, engagementRate, createdAt, firstSeenAt: at, extra };
    const now = { key, ...stored, countedAt: null, statedAt: at };
    this.#open.set(id, { isNew: true, isNoted: false, stored, tagKeys: new Set(), now });
  }

  #updateRow(stored: VideoFacts, now: KnownVideo): void {
    const { key, title, user, views, likes, engagementRate, createdAt, firstSeenAt, extra } = now;
    const counts = [views, likes, engagementRate];
    if (sameButCounts(stored, now)) this.#updateCounts.run(...counts, key);
    else this.#update.run(title, user, ...counts, createdAt, firstSeenAt, extra, key);
  }
}

/**
 * Sets the newest counts of videos to those of their newest snapshot, and first sights after an instant
 * (Unix ms) to `now`. Call it after snapshots were removed.
 */
export const resetNewestCounts = ({ sqlite }: Lake, after: number, now: number): void => {
  sqlite
    .prepare(
      `update video set views = s.views, likes = s.likes, engagement_rate =
         coalesce(s.engagement_rate, iif(s.rate_derived = 1, 100.0 * s.likes / nullif(s.views, 0), null))
       from video_snapshot s where s.video_key = video.key and s.observed_at =
         (select max(observed_at) from video_snapshot n where n.video_key = video.key)
         and (video.views is not s.views or video.likes is not s.likes)`,
    )
    .run();
  sqlite
    .prepare('update video set first_seen_at = @now where first_seen_at > @after')
    .run({ after, now });
};

/** Replaces the prefix of video ids where the new id is free. */
export const renameVideos = (
  { sqlite }: Lake,
  names: Record<'platform' | 'theirs' | 'ours', string>,
): number =>
  sqlite
    .prepare(`update or ignore video set id = @ours || substr(id, length(@theirs) + 1)
      where platform = @platform and instr(id, @theirs) = 1 and instr(id, @ours) <> 1`)
    .run(names).changes;
