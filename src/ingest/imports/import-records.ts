import { type Platform, SOURCES, type Source } from '../../../schema/vocabulary.ts';
import { fieldOf, isObject, type JsonObject } from '../../base/json-object.ts';
import { FIELDS } from '../../base/wire/field-table.ts';
import {
  cleanTag,
  extraOf,
  namesOf,
  type Odd,
  type OrProblem,
  platformOfId,
  readFields,
  readId,
  readInstant,
  readNumber,
  readPlatform,
  readRate,
  readText,
} from '../../base/wire/fields.ts';
import { foldName, plainHandle } from '../../base/wire/folding.ts';
import { LONGEST_TAG } from '../../base/wire/item-bounds.ts';
import type { SeenHashtag } from '../writers/hashtags.ts';
import { extraText } from '../writers/join-extra.ts';
import type { SnapshotSource } from '../writers/merge-video.ts';
import type { KnownPlatform } from './known-platform.ts';

/** The four kinds of files an import knows, in the order they are loaded. */
export const IMPORT_KINDS = ['videos', 'snapshots', 'hashtags', 'creators'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** A video, as a line holds it. */
interface ImportedVideo {
  id: string;
  platform: Platform;
  title: string | null;
  user: string | null;
  createdAt: number | null;
  hashtags: string[] | null;
  extra: JsonObject | null;
  at: number | null;
}

/** Counts of a video at one instant, as a line holds them. */
interface ImportedCounts {
  id: string;
  platform: Platform;
  at: number;
  views: number | null;
  likes: number | null;
  title: string | null;
  user: string | null;
  extra: JsonObject | null;
  /** Null: import. */
  source: SnapshotSource | null;
  /** Percent; null: computed. */
  rate: number | 'unknown' | null;
}

/** Counts of a creator at one instant, as a line holds them. */
interface ImportedCreator {
  platform: Platform;
  handle: string;
  at: number;
  followers: number | null;
  videoCount: number | null;
  views: number | null;
  likes: number | null;
  extra: JsonObject | null;
  /** Null: import. */
  source: Source | null;
  engagementRate: number | null;
  /** Further fields of the profile. */
  profile: JsonObject | null;
}

const NO_ID = { problem: 'no usable id: expected text of 1 to 128 characters' };
const NO_INSTANT = { problem: 'no usable "at": expected ISO 8601 or a Unix time' };

/** Field of exported lines with what the others cannot say; see `exportedLines`. */
export const OWN = 'trendlake';

const ownOf = (line: JsonObject): JsonObject => {
  const own = fieldOf(line, OWN);
  return isObject(own) ? own : {};
};

const sourceIn = (own: JsonObject): Source | null =>
  SOURCES.find((source) => source === own.source) ?? null;

/** Further fields of a line, as exported or as written beside the known ones. */
const furtherFields = (
  line: JsonObject,
  known: ReadonlySet<string>,
  odd: Odd,
): JsonObject | null =>
  fieldOf(ownOf(line), 'extra') === undefined
    ? extraOf(line, known, odd)
    : (ownOf(line).extra as JsonObject | null);

const VIDEO = new Set([OWN, 'id', 'platform', ...namesOf(FIELDS.importedVideo)]);
const SNAPSHOT = new Set([OWN, 'id', ...namesOf(FIELDS.importedSnapshot)]);
const HASHTAG = new Set([OWN, 'platform', ...namesOf(FIELDS.importedHashtag)]);
const CREATOR = new Set([OWN, 'platform', ...namesOf(FIELDS.importedCreator)]);

const KNOWN = { videos: VIDEO, snapshots: SNAPSHOT, hashtags: HASHTAG, creators: CREATOR };

/** True for a field of a line that is not kept as a further field. */
export const isKnownField = (kind: ImportKind, name: string): boolean => KNOWN[kind].has(name);

const readVideo = (line: JsonObject): OrProblem<ImportedVideo> => {
  const id = readId(line.id);
  if (id === undefined) return NO_ID;
  const where = readPlatform(line.platform, id);
  if ('problem' in where) return where;
  const odd: Odd = [];
  const fields = readFields(line, FIELDS.importedVideo, odd);
  const { at: stated = line.firstSeenAt } = ownOf(line);
  const at = readInstant(stated, 'firstSeenAt', []);
  return { id, platform: where.platform, ...fields, extra: furtherFields(line, VIDEO, odd), at };
};

const readSnapshot = (
  line: JsonObject,
  knownPlatform: KnownPlatform,
): OrProblem<ImportedCounts> => {
  const id = readId(line.id);
  if (id === undefined) return NO_ID;
  const platform = platformOfId(id) ?? knownPlatform(id);
  if (platform === undefined)
    return {
      problem:
        'no platform in the id (expected the prefix tt_, ig_ or yt_), and no such video in the lake: import its videos file with it',
    };
  const odd: Odd = [];
  const { at, ...counts } = readFields(line, FIELDS.importedSnapshot, odd);
  if (at === null) return NO_INSTANT;
  const own = ownOf(line);
  const source = sourceIn(own);
  const rate = own.rateUnknown === true ? 'unknown' : readRate(own.engagementRate, '', []);
  const extra = furtherFields(line, SNAPSHOT, odd);
  return {
    id,
    platform,
    at,
    ...counts,
    extra,
    source: source === 'hashtags' ? null : source,
    rate,
  };
};

const readHashtag = (line: JsonObject): OrProblem<SeenHashtag> => {
  const odd: Odd = [];
  const { tag: written, at, ...figures } = readFields(line, FIELDS.importedHashtag, odd);
  const tag = cleanTag(written ?? '');
  if (tag === '' || tag.length > LONGEST_TAG)
    return { problem: `no usable tag: expected text of 1 to ${LONGEST_TAG} characters` };
  const where = line.platform === '' ? { platform: '' as const } : readPlatform(line.platform, '');
  if ('problem' in where) return where;
  if (at === null) return NO_INSTANT;
  const own = ownOf(line);
  const stated = {
    change: readNumber(own.change, '', []),
    rank: readNumber(own.rank, '', []),
    window: readText(own.window, '', []),
    source: sourceIn(own) ?? 'import',
  };
  const extra = furtherFields(line, HASHTAG, odd);
  return { tag, platform: where.platform, at, ...figures, ...stated, extra };
};

const readCreator = (line: JsonObject): OrProblem<ImportedCreator> => {
  const odd: Odd = [];
  const { handle: written, at, ...counts } = readFields(line, FIELDS.importedCreator, odd);
  const handle = plainHandle(written ?? '');
  if (handle === '') return { problem: 'no usable user: expected text' };
  const where = readPlatform(line.platform, '');
  if ('problem' in where) return where;
  if (at === null) return NO_INSTANT;
  const own = ownOf(line);
  const profile = isObject(own.profile) ? own.profile : null;
  const stated = { source: sourceIn(own), profile };
  const rate = readRate(own.engagementRate, '', []);
  const extra = furtherFields(line, CREATOR, odd);
  return {
    platform: where.platform,
    handle,
    at,
    ...counts,
    extra,
    ...stated,
    engagementRate: rate,
  };
};

/** Fields of a snapshot line that name a place in a list. */
const PLACE_FIELDS = new Set(['rank', 'source', 'region']);
const LONGEST_PERIOD = 60; // characters

/** Rank of a video in an imported list; the list is named by source and region of the lines. */
export interface ImportedPlace {
  readonly id: string;
  readonly platform: Platform;
  readonly at: number;
  readonly period: string;
  readonly rank: number;
}

/** Places that a snapshot states: in its further fields, and in those of lines of the same instant. */
const placesOf = ({ id, platform, at, extra, source }: Packed<ImportedCounts>): ImportedPlace[] => {
  if (source !== null || extra?.includes('"rank":') !== true) return [];
  const { also = [], ...own } = JSON.parse(extra) as JsonObject;
  return [own, ...(Array.isArray(also) ? also : [])].flatMap((line: JsonObject) => {
    const { rank } = line;
    if (typeof rank !== 'number' || !Number.isSafeInteger(rank) || rank < 1) return [];
    const named = [line.source, line.region].filter((part) => typeof part === 'string');
    const period = named.join(' ').slice(0, LONGEST_PERIOD) || 'ranks';
    return [{ id, platform, at, period, rank }];
  });
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
  const merged: T & JsonObject = { ...earlier, ...Object.fromEntries(known(later)) };
  const { also = [], ...rest } = earlier.extra ?? {};
  const all = [...known(earlier), ...Object.entries(rest)];
  const isDifferent = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !==
    JSON.stringify(fieldOf(merged, name) ?? fieldOf(later.extra ?? {}, name));
  if (!all.some(isDifferent)) return { ...merged, extra: later.extra ?? earlier.extra };
  const isRanked = typeof rest.rank === 'number';
  const differing = all.filter(
    (field) => isDifferent(field) || (isRanked && PLACE_FIELDS.has(field[0])),
  );
  const others = [...(also as unknown[]), Object.fromEntries(differing)];
  return { ...merged, extra: { ...later.extra, also: others } };
};

/** A row with its further fields as JSON: what waits for its batch to be full takes half the room. */
type Packed<T> = Omit<T, 'extra'> & { extra: string | null };

const packed = <T extends { extra: JsonObject | null }>(row: T): Packed<T> => ({
  ...row,
  extra: extraText(row.extra),
});

const unpacked = <T extends { extra: JsonObject | null }>(row: Packed<T>): T =>
  ({ ...row, extra: row.extra === null ? null : JSON.parse(row.extra) }) as T;

/** Rows of lines by kind, in their order. */
export interface ImportedRows {
  readonly videos: readonly Packed<ImportedVideo>[];
  readonly snapshots: readonly Packed<ImportedCounts>[];
  readonly hashtags: readonly Packed<SeenHashtag>[];
  readonly creators: readonly Packed<ImportedCreator>[];
  readonly places: readonly ImportedPlace[];
}

/** Collects lines until they are loaded in one transaction. */
export class ImportBatch {
  readonly #videos: Packed<ImportedVideo>[] = [];
  readonly #snapshots = new Map<string, Packed<ImportedCounts>>();
  readonly #hashtags = new Map<string, Packed<SeenHashtag>>();
  readonly #creators = new Map<string, Packed<ImportedCreator>>();
  readonly #knownPlatform: KnownPlatform;

  constructor(knownPlatform: KnownPlatform) {
    this.#knownPlatform = knownPlatform;
  }

  #merge<T extends Instantaneous>(rows: Map<string, Packed<T>>, key: string, row: T): void {
    const earlier = rows.get(key);
    rows.set(key, packed(earlier === undefined ? row : mergeInstant(unpacked<T>(earlier), row)));
  }

  /** Adds one line. @returns why it cannot be kept, or undefined */
  add(kind: ImportKind, line: JsonObject): string | undefined {
    if (kind === 'videos') {
      const video = readVideo(line);
      if ('problem' in video) return video.problem;
      this.#videos.push(packed(video));
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

  /** The collected rows by kind. */
  rows(): ImportedRows {
    const snapshots = [...this.#snapshots.values()];
    return {
      videos: this.#videos,
      snapshots,
      places: snapshots.flatMap(placesOf),
      hashtags: [...this.#hashtags.values()],
      creators: [...this.#creators.values()],
    };
  }
}
