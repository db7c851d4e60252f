import type { Statement } from 'better-sqlite3';
import type { Lake } from '../lake/open.ts';
import { type Prepared, prepare, present } from '../lake/prepare.ts';
import { HandleWriter } from './handle-writer.ts';
import { formerFields } from './join-extra.ts';
import {
  type KnownVideo,
  mergeVideo,
  type SeenVideo,
  sameButCounts,
  sameIndexed,
  sameVideo,
  type VideoFacts,
} from './merge-video.ts';
import type { Tally } from './tally.ts';

/** Where a video stands after it was noted. */
export interface NotedVideo {
  key: number;
  isNew: boolean;
  /** True when its title is another than before. */
  retitled: boolean;
  /** For the other methods of the writer. */
  open: OpenVideo;
}

/** A row as it is read: what is known of a video. */
interface ReadVideo extends KnownVideo {
  id: string;
}

/** The same with the keys of its hashtags, divided by commas. */
interface ReadTagged extends ReadVideo {
  tagKeys: string | null;
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

/** Videos read by one statement: as many as the longest page of a list has. */
const READ_TOGETHER = 100;
/** New videos written by one statement. */
const INSERTED_TOGETHER = 25;
const insertSql = (videos: number): string => `
  insert into video
    (key, id, platform, title, user, views, likes, engagement_rate, created_at, first_seen_at, extra)
  values ${Array(videos).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;

const readingOf = (ids: number, more = ''): string => `
  select key, id, title, user, views, likes, engagement_rate as engagementRate,
    created_at as createdAt, first_seen_at as firstSeenAt, extra,
    (select max(observed_at) from video_snapshot where video_key = video.key) as lastSeenAt ${more}
  from video where id in (${Array(ids).fill('?').join(', ')})`;

const READ = {
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
  lastSeenAt: 'number?',
} as const;

const WITH_TAGS = `,
    (select group_concat(hashtag_key) from video_hashtag where video_key = video.key) as tagKeys`;

/** Whether something was known of a video before an instant: what is not dated holds always. */
const wasSeenBefore = ({ firstSeenAt }: KnownVideo, at: number | null): at is number =>
  at !== null && firstSeenAt !== null && firstSeenAt < at;

/** Writes videos into one lake. A known video's row is written once for each transaction, by `flush`. */
export class VideoWriter {
  readonly #beforeRevision: () => void;
  readonly #handles: HandleWriter;
  readonly #read: Prepared<ReadVideo>;
  readonly #readTogether: Prepared<ReadVideo>;
  readonly #readTagged: Prepared<ReadTagged>;
  readonly #readTags: Prepared<number>;
  readonly #newestKey: Prepared<number | null>;
  readonly #insert: Statement;
  readonly #insertTogether: Statement;
  // An update writes the index of every column it names, changed or not, and most known videos
  // change in their counts alone, or in further fields.
  readonly #updateCounts: Statement;
  readonly #updateWords: Statement;
  readonly #update: Statement;
  readonly #revise: Statement;
  readonly #reviseExtra: Statement;
  /** Videos of the transaction under way, by id, as they will stand at its end. */
  readonly #open = new Map<string, OpenVideo>();
  /** Videos read in this transaction before they were opened; undefined: not in the lake. */
  readonly #expected = new Map<string, ReadVideo | ReadTagged | undefined>();
  /** Keys of videos inserted in this transaction before they were opened. */
  readonly #inserted = new Map<string, number>();

  /** @param beforeRevision called before a video's hashtags are read, inside the transaction */
  constructor(lake: Lake, beforeRevision: () => void) {
    const { sqlite } = lake;
    this.#beforeRevision = beforeRevision;
    this.#handles = lake.own(HandleWriter);
    this.#read = prepare<ReadVideo>(sqlite, readingOf(1), READ);
    this.#readTogether = prepare<ReadVideo>(sqlite, readingOf(READ_TOGETHER), READ);
    this.#readTagged = prepare<ReadTagged>(sqlite, readingOf(READ_TOGETHER, WITH_TAGS), {
      ...READ,
      tagKeys: 'text?',
    });
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
    this.#revise = sqlite.prepare(`
      insert into video_revision (video_key, until_at, title, user, tags)
      values (@key, @at, @title, @user,
        coalesce((select group_concat(hashtag_key, ',' order by position, hashtag_key)
          from video_hashtag where video_key = @key), ''))
      on conflict do nothing`);
    this.#reviseExtra = sqlite.prepare(`
      insert into extra_revision (video_key, until_at, fields) values (?, ?, ?)
      on conflict do update set fields = json_patch(excluded.fields, fields)`);
  }

  /**
   * Reads what the lake knows of videos that are about to be noted, many in one statement: with their
   * hashtags where they are seen with theirs, else `nothing` more.
   */
  expect(ids: readonly string[], more: 'tags' | 'nothing'): void {
    this.#expected.clear();
    const unknown = [...new Set(ids)].filter((id) => !this.#open.has(id));
    const reading = more === 'tags' ? this.#readTagged : this.#readTogether;
    for (let from = 0; from < unknown.length; from += READ_TOGETHER) {
      const some = unknown.slice(from, from + READ_TOGETHER);
      const wantedIds = [...some, ...Array(READ_TOGETHER - some.length).fill(null)];
      for (const id of some) this.#expected.set(id, undefined);
      for (const video of reading.all(wantedIds)) this.#expected.set(video.id, video);
    }
  }

  /** True of a video that was expected, is not in the lake, and was not noted yet. */
  isNew(id: string): boolean {
    return this.#expected.has(id) && this.#expected.get(id) === undefined && !this.#open.has(id);
  }

  /**
   * Writes the rows of new videos, many in one statement: three fifths of what one by one takes, as a
   * statement whose table has a trigger keeps a copy of each page it changes. All of them are noted
   * next; of two mentions the first is written.
   */
  insert(seen: readonly SeenVideo[]): void {
    const newest = present(this.#newestKey.get()) ?? 0;
    const rows: Row[] = [];
    for (const one of seen) {
      if (this.#inserted.has(one.id)) continue;
      const key = newest + rows.length + 1;
      rows.push(rowOf(key, one));
      this.#inserted.set(one.id, key);
    }
    let from = 0;
    for (; from + INSERTED_TOGETHER <= rows.length; from += INSERTED_TOGETHER)
      this.#insertTogether.run(rows.slice(from, from + INSERTED_TOGETHER).flat());
    for (const row of rows.slice(from)) this.#insert.run(row);
  }

  /** Notes what was seen of a video. The words it no longer has go to `video_revision`. */
  note(seen: SeenVideo, tally: Tally): NotedVideo {
    const fresh = !this.#open.has(seen.id);
    const video = this.#openOf(seen, tally);
    const { now: before } = video;
    const { key } = before;
    if (fresh && video.isNew) return { key, isNew: true, retitled: false, open: video };
    const after = mergeVideo(before, seen);
    if (sameVideo(before, after)) return { key, isNew: false, retitled: false, open: video };
    video.now = { key, lastSeenAt: before.lastSeenAt, ...after };
    const retitled = after.title !== before.title;
    if (after.user !== before.user) this.#handles.note(after.user);
    if (retitled || after.user !== before.user) this.#keepWords(before, seen.at);
    if (after.extra !== before.extra && wasSeenBefore(before, seen.at))
      this.#reviseExtra.run(key, seen.at, formerFields(before.extra, after.extra));
    return { key, isNew: false, retitled, open: video };
  }

  /** Keeps what a video was until it gets more hashtags at an instant. Call before they are linked. */
  retag({ open }: NotedVideo, at: number | null): void {
    this.#keepWords(open.now, at);
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
    now.lastSeenAt = Math.max(now.lastSeenAt ?? at, at);
  }

  /** Writes the rows that changed. Call before the transaction's end. */
  flush(tally: Tally): void {
    for (const { stored, now, isNew } of this.#open.values()) {
      const same = sameVideo(stored, now);
      if (!same) this.#updateRow(stored, now);
      if (!isNew) tally.add('videos', same ? 'unchanged' : 'updated', { videoKey: now.key });
    }
    this.forget();
  }

  /** Forgets the transaction under way; call when it was rolled back. */
  forget(): void {
    this.#open.clear();
    this.#expected.clear();
    this.#inserted.clear();
  }

  /** Keeps the words and hashtags that a video had until an instant, where it was seen before it. */
  #keepWords(before: KnownVideo, at: number | null): void {
    const { key, title, user } = before;
    if (!wasSeenBefore(before, at)) return;
    this.#beforeRevision();
    this.#revise.run({ key, at, title, user });
  }

  #openOf(seen: SeenVideo, tally: Tally): OpenVideo {
    const known = this.#open.get(seen.id);
    if (known !== undefined) return known;
    const before = this.#expected.has(seen.id)
      ? this.#expected.get(seen.id)
      : this.#read.get(seen.id);
    const video = before === undefined ? this.#openNew(seen, tally) : openKnown(before);
    this.#open.set(seen.id, video);
    return video;
  }

  #openNew(seen: SeenVideo, tally: Tally): OpenVideo {
    if (!this.#inserted.has(seen.id)) this.insert([seen]);
    const key = present(this.#inserted.get(seen.id));
    const { at, title, user, views, likes, engagementRate, createdAt, extra } = seen;
    this.#handles.note(user);
    tally.add('videos', 'inserted', { videoKey: key });
    const stored = { title, user, views, likes, engagementRate, createdAt, firstSeenAt: at, extra };
    return { isNew: true, stored, tagKeys: new Set(), now: { key, ...stored, lastSeenAt: null } };
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
