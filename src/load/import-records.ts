import type { Platform } from '../../schema/vocabulary.ts';
import type { JsonObject } from '../json-object.ts';
import {
  cleanTag,
  extraOf,
  type Odd,
  platformOfId,
  readCount,
  readId,
  readInstant,
  readPlatform,
  readTags,
  readText,
} from '../wire/fields.ts';
import { foldName } from '../wire/folding.ts';
import { LONGEST_TAG } from '../wire/item-bounds.ts';
import type {
  CreatorObservation,
  HashtagObservation,
  ObservationBatch,
  SnapshotObservation,
  VideoObservation,
} from './observation.ts';

/** The four kinds of files an import knows, in the order they are loaded. */
export const IMPORT_KINDS = ['videos', 'snapshots', 'hashtags', 'creators'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** A record, or why it cannot be kept. */
type Reading<T> = T | { problem: string };

const FIELDS = {
  videos: new Set(['id', 'platform', 'title', 'user', 'createdAt', 'tags']),
  snapshots: new Set(['id', 'at', 'views', 'likes', 'title', 'user']),
  hashtags: new Set(['tag', 'platform', 'at', 'volume', 'views']),
  creators: new Set(['user', 'platform', 'at', 'followers', 'videoCount', 'views', 'likes']),
} as const;

const NO_ID = { problem: 'no usable id: expected text of 1 to 128 characters' };
const NO_INSTANT = { problem: 'no usable "at": expected ISO 8601 or a Unix time' };

const readVideo = (line: JsonObject): Reading<VideoObservation> => {
  const id = readId(line.id);
  if (id === undefined) return NO_ID;
  const where = readPlatform(line.platform, id);
  if ('problem' in where) return where;
  const odd: Odd = [];
  const video = {
    id,
    platform: where.platform,
    seenAt: readInstant(line.firstSeenAt, 'firstSeenAt', []),
    title: readText(line.title, 'title', odd),
    user: readText(line.user, 'user', odd),
    createdAt: readInstant(line.createdAt, 'createdAt', odd),
    hashtags: readTags(line.tags, 'tags', odd),
  };
  return { ...video, extra: extraOf(line, FIELDS.videos, odd) };
};

/** The platform of a video by its id, where it is known already. */
export type KnownPlatform = (id: string) => Platform | undefined;

const readSnapshot = (
  line: JsonObject,
  knownPlatform: KnownPlatform,
): Reading<SnapshotObservation> => {
  const id = readId(line.id);
  if (id === undefined) return NO_ID;
  const platform = platformOfId(id) ?? knownPlatform(id);
  if (platform === undefined)
    return {
      problem:
        'no platform in the id (expected the prefix tt_, ig_ or yt_), and no such video in the lake: import its videos file with it',
    };
  const odd: Odd = [];
  const at = readInstant(line.at, 'at', odd);
  if (at === null) return NO_INSTANT;
  const snapshot = {
    id,
    platform,
    at,
    views: readCount(line.views, 'views', odd),
    likes: readCount(line.likes, 'likes', odd),
    title: readText(line.title, 'title', odd),
    user: readText(line.user, 'user', odd),
  };
  return { ...snapshot, extra: extraOf(line, FIELDS.snapshots, odd) };
};

const readHashtag = (line: JsonObject): Reading<HashtagObservation> => {
  const odd: Odd = [];
  const tag = cleanTag(readText(line.tag, 'tag', odd) ?? '');
  if (tag === '' || tag.length > LONGEST_TAG)
    return { problem: `no usable tag: expected text of 1 to ${LONGEST_TAG} characters` };
  const where = line.platform === '' ? { platform: '' as const } : readPlatform(line.platform, '');
  if ('problem' in where) return where;
  const at = readInstant(line.at, 'at', odd);
  if (at === null) return NO_INSTANT;
  const counts = {
    volume: readCount(line.volume, 'volume', odd),
    views: readCount(line.views, 'views', odd),
  };
  return {
    tag,
    platform: where.platform,
    at,
    ...counts,
    extra: extraOf(line, FIELDS.hashtags, odd),
  };
};

const readCreator = (line: JsonObject): Reading<CreatorObservation> => {
  const odd: Odd = [];
  const handle = (readText(line.user, 'user', odd) ?? '').replace(/^@/, '');
  if (handle === '') return { problem: 'no usable user: expected text' };
  const where = readPlatform(line.platform, '');
  if ('problem' in where) return where;
  const at = readInstant(line.at, 'at', odd);
  if (at === null) return NO_INSTANT;
  const counts = {
    followers: readCount(line.followers, 'followers', odd),
    videoCount: readCount(line.videoCount, 'videoCount', odd),
    views: readCount(line.views, 'views', odd),
    likes: readCount(line.likes, 'likes', odd),
  };
  return {
    platform: where.platform,
    handle,
    at,
    ...counts,
    extra: extraOf(line, FIELDS.creators, odd),
  };
};

/** One observation of an instant, and what it is keyed by. */
interface Instantaneous {
  at: number;
  extra: JsonObject | null;
}

/**
 * Two lines about one thing at one instant (the same tag on two of a platform's pages, say) become
 * one: the later line's known fields win, and what it differs in stays under `extra.also`.
 */
const mergeInstant = <T extends Instantaneous>(earlier: T, later: T): T => {
  const known = (row: T): [string, unknown][] =>
    Object.entries(row).filter(([name, value]) => name !== 'extra' && value !== null);
  const merged = { ...earlier, ...Object.fromEntries(known(later)) };
  const { also = [], ...rest } = earlier.extra ?? {};
  const differing = [...known(earlier), ...Object.entries(rest)].filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify((merged as JsonObject)[name] ?? later.extra?.[name]),
  );
  if (differing.length === 0) return { ...merged, extra: later.extra ?? earlier.extra };
  const others = [...(also as unknown[]), Object.fromEntries(differing)];
  return { ...merged, extra: { ...later.extra, also: others } };
};

/** Collects lines until they are loaded in one transaction. */
export class ImportBatch {
  readonly #videos: VideoObservation[] = [];
  readonly #snapshots = new Map<string, SnapshotObservation>();
  readonly #hashtags = new Map<string, HashtagObservation>();
  readonly #creators = new Map<string, CreatorObservation>();
  readonly #knownPlatform: KnownPlatform;

  constructor(knownPlatform: KnownPlatform) {
    this.#knownPlatform = knownPlatform;
  }

  #merge<T extends Instantaneous>(rows: Map<string, T>, key: string, row: T): void {
    const earlier = rows.get(key);
    rows.set(key, earlier === undefined ? row : mergeInstant(earlier, row));
  }

  /** Adds one line. @returns why it cannot be kept, or undefined */
  add(kind: ImportKind, line: JsonObject): string | undefined {
    if (kind === 'videos') {
      const video = readVideo(line);
      if ('problem' in video) return video.problem;
      this.#videos.push(video);
    } else if (kind === 'snapshots') {
      const row = readSnapshot(line, this.#knownPlatform);
      if ('problem' in row) return row.problem;
      this.#merge(this.#snapshots, `${row.at} ${row.id}`, row);
    } else if (kind === 'hashtags') {
      const row = readHashtag(line);
      if ('problem' in row) return row.problem;
      this.#merge(this.#hashtags, `${row.at} ${row.platform} ${foldName(row.tag)}`, row);
    } else {
      const row = readCreator(line);
      if ('problem' in row) return row.problem;
      this.#merge(this.#creators, `${row.at} ${row.platform} ${row.handle}`, row);
    }
    return undefined;
  }

  /** What has been collected, for `loadObservations`. */
  observations(): ObservationBatch {
    return {
      videos: this.#videos,
      snapshots: [...this.#snapshots.values()],
      hashtags: [...this.#hashtags.values()],
      creators: [...this.#creators.values()],
    };
  }
}
