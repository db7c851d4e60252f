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
  sameIndexed,
  sameVideo,
  statesWords,
  type VideoFacts,
  wasSeenBefore,
} from './merge-video.ts';
import { type EarlierWords, RevisionWriter } from './revisions.ts';
import type { Tally } from './tally.ts';
import { type ReadTagged, type ReadVideo, VideoReader } from './video-reader.ts';

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

/** A video while its transaction is under way. */
interface OpenVideo {
  /** True when this transaction inserted it. */
  readonly isNew: boolean;
  /** The row as it stands in the table. */
  readonly stored: VideoFacts;
  /** Keys of its hashtags: a set once they were asked for. */
  tagKeys: Set<number> | string | null | undefined;
  now: KnownVideo;
}

/** New videos written by one statement. */
const INSERTED_TOGETHER = 25;
const insertSql = (videos: number): string => `
  insert into video
    (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra,
     collected_at)
  values ${Array(videos).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;

/** Writes videos. `flush` writes the row of a known video once per transaction. */
export class VideoWriter {
  readonly #beforeRevision: () => void;
  readonly #handles: HandleWriter;
  readonly #revisions: RevisionWriter;
  readonly #known: VideoReader;
  readonly #readTags: Prepared<number>;
  readonly #newestKey: Prepared<number | null>;
  readonly #insert: Statement;
  readonly #insertTogether: Statement;
  // An update writes the index of every column it names, changed or not, and most known videos
  // change in their counts alone, or in further fields.
  readonly #updateCounts: Statement;
  readonly #updateWords: Statement;
  readonly #update: Statement;
  readonly #reviseExtra: Statement;
  /** Unix ms at which the rows of this transaction were collected; null: unknown. */
  collectedAt: number | null = null;
  /** Videos of the transaction under way, by id, as they will stand at its end. */
  readonly #open = new Map<string, OpenVideo>();
  /** Videos read in this transaction before they were opened; undefined: not in the lake. */
  #expected = new Map<string, ReadVideo | ReadTagged | undefined>();
  /** Keys of videos inserted in this transaction before they were opened. */
  readonly #inserted = new Map<string, number>();

  /** @param beforeRevision called before a video's hashtags are read, inside the transaction */
  constructor(lake: Lake, beforeRevision: () => void) {
    const { sqlite } = lake;
    this.#beforeRevision = beforeRevision;
    this.#handles = lake.own(HandleWriter);
    this.#revisions = new RevisionWriter(lake);
    this.#known = new VideoReader(lake);
    this.#readTags = prepare(
      sqlite,
      'select hashtag_key from video_hashtag where video_key = ?',
      'number',
    );
    this.#newestKey = prepare(sqlite, 'select max(key) from video', 'number?');
    this.#insert = sqlite.prepare(insertSql(1));
    this.#insertTogether = sqlite.prepare(insertSql(INSERTED_TOGETHER));
    this.#updateCounts = sqlite.prepare(
      'update video set views = ?, likes = ?, engagement_rate = ? where key = ?',
    );
    this.#updateWords = sqlite.prepare(`
      update video set title = ?, views = ?, likes = ?, engagement_rate = ?, extra = ?
      where key = ?`);
    this.#update = sqlite.prepare(`
      update video set title = ?, user = ?, views = ?, likes = ?, engagement_rate = ?,
        created_at = ?, first_seen_at = ?, extra = ? where key = ?`);
    this.#reviseExtra = sqlite.prepare(`
      insert into extra_revision (video_key, until_at, fields) values (?, ?, ?)
      on conflict do update set fields = json_patch(excluded.fields, fields)`);
  }

  /** Reads videos that are about to be noted in one statement, with their hashtags or `nothing` more. */
  expect(ids: readonly string[], more: 'tags' | 'nothing'): void {
    const unknown = [...new Set(ids)].filter((id) => !this.#open.has(id));
    this.#expected = this.#known.many(unknown, more);
  }

  /** True of an expected video that is not in the lake and was not noted yet. */
  isNew(id: string): boolean {
    return this.#expected.has(id) && this.#expected.get(id) === undefined && !this.#open.has(id);
  }

  /**
   * Writes the rows of new videos, many in one statement: with a trigger on the table, SQLite copies
   * each changed page once per statement. All of them are noted next; the first of two mentions counts.
   */
  insert(seen: readonly SeenVideo[]): void {
    const newest = required(this.#newestKey.get()) ?? 0;
    const rows: Row[] = [];
    for (const video of seen) {
      if (this.#inserted.has(video.id)) continue;
      const key = newest + rows.length + 1;
      rows.push([...rowOf(key, video), this.collectedAt]);
      this.#inserted.set(video.id, key);
    }
    let from = 0;
    for (; from + INSERTED_TOGETHER <= rows.length; from += INSERTED_TOGETHER)
      this.#insertTogether.run(rows.slice(from, from + INSERTED_TOGETHER).flat());
    for (const row of rows.slice(from)) this.#insert.run(row);
  }

  /** Notes an observation. Former words go to `video_revision`. */
  note(seen: SeenVideo, tally: Tally): NotedVideo {
    const fresh = !this.#open.has(seen.id);
    const open = this.#openOf(seen, tally);
    const { now: before } = open;
    const { key } = before;
    if (fresh && open.isNew) return { key, isNew: true, retitled: false, earlier: null, open };
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

  /** Keeps what a video was until it gets more hashtags at an instant. Call before they are linked. */
  retag({ open }: NotedVideo, at: number | null): void {
    this.#keepWords(open.now, at);
  }

  /** Weaves earlier words into those the video had since. Call before their hashtags are linked. */
  weave(noted: NotedVideo, earlier: EarlierWords, tagKeys: readonly number[]): void {
    this.#beforeRevision();
    const { title, user } = this.#revisions.weave(earlier, tagKeys, this.tagKeysOf(noted));
    this.#handles.note(earlier.user);
    noted.open.now = { ...noted.open.now, title, user };
  }

  /** Keys of the hashtags a video carries; whoever links more adds them. */
  tagKeysOf({ key, open }: NotedVideo): Set<number> {
    const { tagKeys } = open;
    if (tagKeys instanceof Set) return tagKeys;
    const keys = tagKeys === undefined ? this.#readTags.all(key) : tagKeys?.split(',').map(Number);
    const set = new Set(keys);
    open.tagKeys = set;
    return set;
  }

  /** Notes that the counts of a video noted before were seen at an instant. */
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
    this.#expected.clear();
    this.#inserted.clear();
  }

  /** Keeps the words and hashtags that a video had until an instant, where it was seen before it. */
  #keepWords(before: KnownVideo, at: number | null): void {
    if (!wasSeenBefore(before, at)) return;
    this.#beforeRevision();
    this.#revisions.keep(before, at);
  }

  #openOf(seen: SeenVideo, tally: Tally): OpenVideo {
    const known = this.#open.get(seen.id);
    if (known !== undefined) return known;
    const before = this.#expected.has(seen.id)
      ? this.#expected.get(seen.id)
      : this.#known.one(seen.id);
    const video = before === undefined ? this.#openNew(seen, tally) : openKnown(before);
    this.#open.set(seen.id, video);
    return video;
  }

  #openNew(seen: SeenVideo, tally: Tally): OpenVideo {
    if (!this.#inserted.has(seen.id)) this.insert([seen]);
    const key = required(this.#inserted.get(seen.id));
    const { at, title, user, views, likes, engagementRate, createdAt, extra } = seen;
    this.#handles.note(user);
    tally.add('videos', 'inserted', { subjectKey: key });
    const stored = { title, user, views, likes, engagementRate, createdAt, firstSeenAt: at, extra };
    const now = { key, ...stored, countedAt: null, statedAt: at };
    return { isNew: true, stored, tagKeys: new Set(), now };
  }

  #updateRow(stored: VideoFacts, now: KnownVideo): void {
    const { key, title, user, views, likes, engagementRate, createdAt, firstSeenAt, extra } = now;
    const counts = [views, likes, engagementRate];
    if (sameButCounts(stored, now)) this.#updateCounts.run(...counts, key);
    else if (sameIndexed(stored, now)) this.#updateWords.run(title, ...counts, extra, key);
    else this.#update.run(title, user, ...counts, createdAt, firstSeenAt, extra, key);
  }
}

type Row = readonly (string | number | null)[];

const rowOf = (key: number, seen: SeenVideo): Row => {
  const { id, platform, at, title, user, views, likes, engagementRate, createdAt, extra } = seen;
  return [key, id, platform, title, user, views, likes, engagementRate, createdAt, at, extra];
};

const openKnown = (known: ReadVideo | ReadTagged): OpenVideo => ({
  isNew: false,
  stored: known,
  tagKeys: 'tagKeys' in known ? known.tagKeys : undefined,
  now: known,
});

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
