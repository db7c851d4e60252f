import type Database from 'better-sqlite3';
import { SOURCES } from '../../../schema/vocabulary.ts';
import { isoOf } from '../../base/iso.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { engagementRate } from '../../base/wire/engagement-rate.ts';
import { readInstant } from '../../base/wire/fields.ts';
import { type Prepared, prepare, type RowOf } from '../../lake/prepare.ts';
import { type ImportKind, isKnownField, OWN } from './import-records.ts';

// Lines that an import reads back as the same rows. Facts that no import field has (source, stated rate,
// profile) are in the field `trendlake`, unless they equal what an import assumes.

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** One line: known fields, further fields, and `trendlake` if it is not empty. */
const lineOf = (
  kind: ImportKind,
  known: JsonObject,
  extra: JsonObject,
  own: JsonObject,
): string => {
  const isFlat = !Object.keys(extra).some((name) => isKnownField(kind, name));
  const fields = withoutNulls(isFlat ? own : { ...own, extra });
  const line = { ...withoutNulls(known), ...(isFlat ? extra : {}) };
  return JSON.stringify(Object.keys(fields).length === 0 ? line : { ...line, [OWN]: fields });
};

const parsed = (extra: string | null): JsonObject => (extra === null ? {} : JSON.parse(extra));
const sourceOf = (code: number): string | null =>
  SOURCES[code] === 'import' ? null : (SOURCES[code] ?? null);

const VIDEO_ROW = {
  key: 'number',
  id: 'text',
  platform: 'platform',
  title: 'text?',
  user: 'text?',
  createdAt: 'number?',
  firstSeenAt: 'number?',
  extra: 'text?',
} as const;
type VideoRow = RowOf<typeof VIDEO_ROW>;

/** Words and further fields of a video since an instant; null: its first sighting. */
interface VideoState {
  readonly from: number | null;
  readonly title: string | null;
  readonly user: string | null;
  readonly tagKeys: ReadonlySet<number>;
  readonly extra: JsonObject;
}

const TAG_ROW = {
  key: 'number',
  tag: 'text',
  position: 'number',
} as const;
type TagRow = RowOf<typeof TAG_ROW>;

const REVISION_ROW = {
  untilAt: 'number',
  title: 'text?',
  user: 'text?',
  tags: 'text?',
} as const;
type RevisionRow = RowOf<typeof REVISION_ROW>;

/** Further fields before a revision. */
const formerExtra = (extra: JsonObject, fields: string): JsonObject => {
  const before = new Map(Object.entries(extra));
  for (const [name, [...was]] of Object.entries(JSON.parse(fields) as Record<string, unknown[]>))
    if (was.length === 0) before.delete(name);
    else before.set(name, was[0]);
  return Object.fromEntries(before);
};

class VideoLines {
  readonly #rows: Prepared<VideoRow>;
  readonly #tags: Prepared<TagRow>;
  readonly #words: Prepared<RevisionRow>;
  readonly #fields: Prepared<{ untilAt: number; fields: string }>;

  constructor(sqlite: Database.Database) {
    this.#rows = prepare(
      sqlite,
      `select key, id, platform, title, user, created_at as createdAt, first_seen_at as firstSeenAt, extra
       from video order by key`,
      VIDEO_ROW,
    );
    this.#tags = prepare(
      sqlite,
      `select h.key, h.tag, vh.position from video_hashtag vh join hashtag h on h.key = vh.hashtag_key
       where vh.video_key = ? order by vh.position, h.key`,
      TAG_ROW,
    );
    this.#words = prepare(
      sqlite,
      'select until_at as untilAt, title, user, tags from video_revision where video_key = ?',
      REVISION_ROW,
    );
    this.#fields = prepare(
      sqlite,
      'select until_at as untilAt, fields from extra_revision where video_key = ?',
      { untilAt: 'number', fields: 'text' },
    );
  }

  /** Oldest first. */
  #states(row: VideoRow, tags: readonly TagRow[]): VideoState[] {
    const words = new Map(this.#words.all(row.key).map((each) => [each.untilAt, each]));
    const fields = new Map(this.#fields.all(row.key).map((each) => [each.untilAt, each.fields]));
    const instants = [...new Set([...words.keys(), ...fields.keys()])].sort((a, b) => b - a);
    let then = {
      title: row.title,
      user: row.user,
      tagKeys: new Set(tags.map(({ key }) => key)),
      extra: parsed(row.extra),
    };
    const states: VideoState[] = [];
    for (const from of instants) {
      states.unshift({ from, ...then });
      const former = words.get(from);
      const changed = fields.get(from);
      if (former !== undefined) {
        const { title, user, tags: keys } = former;
        const tagKeys = keys === null ? then.tagKeys : new Set(keys.split(',').map(Number));
        then = { ...then, title, user, tagKeys };
      }
      if (changed !== undefined) then = { ...then, extra: formerExtra(then.extra, changed) };
    }
    return [{ from: null, ...then }, ...states];
  }

  *lines(): Generator<string> {
    for (const row of this.#rows.iterate()) {
      const tags = this.#tags.all(row.key);
      let before: VideoState | undefined;
      for (const state of this.#states(row, tags)) {
        yield this.#line(row, tags, { state, before });
        before = state;
      }
    }
  }

  /** The first line of a video has everything, later lines have changes. */
  #line(
    row: VideoRow,
    tags: readonly TagRow[],
    { state, before }: { state: VideoState; before: VideoState | undefined },
  ): string {
    const changed = <T>(name: 'title' | 'user', value: T): T | null =>
      before !== undefined && before[name] === state[name] ? null : value;
    const listed: string[] = [];
    for (const { key, tag, position } of tags) {
      if (!state.tagKeys.has(key) || before?.tagKeys.has(key) === true) continue;
      while (listed.length < position) listed.push(''); // keeps the position; imports skip it
      listed.push(tag);
    }
    const known = {
      id: row.id,
      platform: row.platform,
      title: changed('title', state.title),
      user: changed('user', state.user),
      createdAt: before !== undefined || row.createdAt === null ? null : isoOf(row.createdAt),
      tags: listed,
    };
    const extra = Object.fromEntries(
      Object.entries(state.extra).filter(
        ([name, value]) => JSON.stringify(before?.extra[name]) !== JSON.stringify(value),
      ),
    );
    const at = state.from ?? row.firstSeenAt;
    const stated = readInstant(extra.firstSeenAt, '', []);
    const own = at === stated ? null : at === null ? 'unknown' : isoOf(at);
    return lineOf('videos', known, extra, { at: own });
  }
}

function* snapshotLines(sqlite: Database.Database): Generator<string> {
  const rows = prepare(
    sqlite,
    `select v.id, s.observed_at, s.views, s.likes, s.engagement_rate, s.rate_derived, s.source, s.extra
     from video_snapshot s join video v on v.key = s.video_key order by s.video_key, s.observed_at`,
    ['text', 'number', 'number?', 'number?', 'number?', 'number', 'number', 'text?'],
  );
  for (const [id, at, views, likes, stored, isDerived, source, extra] of rows.iterate()) {
    const computed = engagementRate({ views, likes });
    const rate = isDerived === 1 ? computed : stored;
    const own = { source: sourceOf(source), engagementRate: rate === computed ? null : rate };
    const known = { id, at: isoOf(at), views, likes };
    const unstated = rate === null && computed !== null;
    yield lineOf('snapshots', known, parsed(extra), unstated ? { ...own, rateUnknown: true } : own);
  }
}

function* hashtagLines(sqlite: Database.Database): Generator<string> {
  const rows = prepare(
    sqlite,
    `select h.tag, s.platform, s.observed_at, s.volume, s.views, s.change, s.rank, s.window, s.source,
       s.extra
     from hashtag_snapshot s join hashtag h on h.key = s.hashtag_key
     order by s.hashtag_key, s.platform, s.observed_at`,
    [
      'text',
      'text',
      'number',
      'number?',
      'number?',
      'number?',
      'number?',
      'text?',
      'number',
      'text?',
    ],
  );
  for (const row of rows.iterate()) {
    const [tag, platform, at, volume, views, change, rank, window, source, extra] = row;
    const own = { source: sourceOf(source), change, rank, window };
    yield lineOf('hashtags', { tag, platform, at: isoOf(at), volume, views }, parsed(extra), own);
  }
}

interface Profile {
  readonly engagementRate: number | null;
  readonly extra: string | null;
}

function* creatorLines(sqlite: Database.Database): Generator<string> {
  const rows = prepare(
    sqlite,
    `select c.key, c.handle, c.platform, s.observed_at, s.followers, s.video_count, s.views, s.likes,
       s.source, s.extra, coalesce(r.until_at, 0), iif(r.until_at is null, c.engagement_rate, r.engagement_rate),
       iif(r.until_at is null, c.extra, r.extra)
     from creator_snapshot s join creator c on c.key = s.creator_key
     left join creator_revision r on r.creator_key = c.key and r.until_at =
       (select min(until_at) from creator_revision where creator_key = c.key and until_at > s.observed_at)
     order by s.creator_key, s.observed_at`,
    [
      'number',
      'text',
      'text',
      'number',
      'number?',
      'number?',
      'number?',
      'number?',
      'number',
      'text?',
      'number',
      'number?',
      'text?',
    ],
  );
  let written = '';
  for (const row of rows.iterate()) {
    const [key, user, platform, at, followers, videoCount, views, likes, source, extra] = row;
    const state: Profile = { engagementRate: row[11], extra: row[12] };
    const saying = JSON.stringify([key, state]);
    const profile = state.extra === null ? null : JSON.parse(state.extra);
    const own = saying === written ? {} : { engagementRate: state.engagementRate, profile };
    written = saying;
    const known = { user, platform, at: isoOf(at), followers, videoCount, views, likes };
    yield lineOf('creators', known, parsed(extra), { source: sourceOf(source), ...own });
  }
}

/** NDJSON lines by kind. Call in one transaction. */
export const exportedLines: Record<ImportKind, (sqlite: Database.Database) => Iterable<string>> = {
  videos: (sqlite) => new VideoLines(sqlite).lines(),
  snapshots: snapshotLines,
  hashtags: hashtagLines,
  creators: creatorLines,
};
