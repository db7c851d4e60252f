import { type Platform, SOURCES, type Source } from '../../../schema/vocabulary.ts';
import { fieldOf, isObject, type JsonObject } from '../../base/json-object.ts';
import { engagementRate } from '../../base/wire/engagement-rate.ts';
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
import type { ImportedPlace, Observations } from './observations.ts';

/** Finds the platform of a video in the lake by its id. */
export type KnownPlatform = (id: string) => Platform | undefined;

/** Kinds of import files, in loading order. */
export const IMPORT_KINDS = ['videos', 'snapshots', 'hashtags', 'creators'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** A line of a videos file. */
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

/** A line of a snapshots file. */
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

/** A line of a creators file. */
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

/** Field of exported lines for what other fields cannot express; see `exportedLines`. */
export const OWN = 'trendlake';

const ownOf = (line: JsonObject): JsonObject => {
  const own = fieldOf(line, OWN);
  return isObject(own) ? own : {};
};

const sourceIn = (own: JsonObject): Source | null =>
  SOURCES.find((source) => source === own.source) ?? null;

/** Further fields of a line: the exported object, or all unknown fields. */
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

/** True for a known field, which is not stored as a further field. */
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

/** Fields of a snapshot line that state a rank in a list. */
const PLACE_FIELDS = new Set(['rank', 'source', 'region']);
const LONGEST_PERIOD = 60; // characters

/** Ranks in the further fields of a snapshot, and in those of merged lines. */
const placesOf = ({ id, platform, at, extra, source }: ImportedCounts): ImportedPlace[] => {
  if (source !== null || extra === null) return [];
  const { also = [], ...own } = extra;
  return [own, ...(Array.isArray(also) ? also : [])].flatMap((line: JsonObject) => {
    const { rank } = line;
    if (typeof rank !== 'number' || !Number.isSafeInteger(rank) || rank < 1) return [];
    const named = [line.source, line.region].filter((part) => typeof part === 'string');
    const period = named.join(' ').slice(0, LONGEST_PERIOD) || 'ranks';
    return [{ id, platform, at, period, rank }];
  });
};

/**
 * Merges two lines about one subject at one instant, such as a tag on two pages. Known fields of the later
 * line win. Values of the earlier one that differ are kept in `extra.also`.
 */
const mergeInstant = <T extends { extra: JsonObject | null }>(earlier: T, later: T): T => {
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

/** Lines collected for one transaction. */
export class ImportBatch {
  readonly #videos: ImportedVideo[] = [];
  readonly #snapshots = new Map<string, ImportedCounts>();
  readonly #hashtags = new Map<string, SeenHashtag>();
  readonly #creators = new Map<string, ImportedCreator>();
  readonly #knownPlatform: KnownPlatform;

  constructor(knownPlatform: KnownPlatform) {
    this.#knownPlatform = knownPlatform;
  }

  /** Adds one line. @returns why it cannot be kept, or undefined */
  add(kind: ImportKind, line: JsonObject): string | undefined {
    if (kind === 'videos') {
      const row = readVideo(line);
      if ('problem' in row) return row.problem;
      this.#videos.push(row);
    } else if (kind === 'snapshots') {
      const row = readSnapshot(line, this.#knownPlatform);
      if ('problem' in row) return row.problem;
      mergeInto(this.#snapshots, `${row.at} ${row.id}`, row);
    } else if (kind === 'hashtags') {
      const row = readHashtag(line);
      if ('problem' in row) return row.problem;
      mergeInto(this.#hashtags, `${row.at} ${row.platform} ${foldName(row.tag)}`, row);
    } else {
      const row = readCreator(line);
      if ('problem' in row) return row.problem;
      mergeInto(this.#creators, `${row.at} ${row.platform} ${row.handle}`, row);
    }
    return undefined;
  }

  observations(): Observations {
    const snapshots = [...this.#snapshots.values()];
    return {
      videos: this.#videos.map(videoOf),
      snapshots: snapshots.map(countsOf),
      hashtags: [...this.#hashtags.values()],
      creators: Array.from(this.#creators.values(), creatorOf),
      places: snapshots.flatMap(placesOf),
    };
  }
}

const mergeInto = <T extends { extra: JsonObject | null }>(
  rows: Map<string, T>,
  key: string,
  row: T,
): void => {
  const earlier = rows.get(key);
  rows.set(key, earlier === undefined ? row : mergeInstant(earlier, row));
};

const videoOf = ({ at, extra, ...video }: ImportedVideo): Observations['videos'][number] => {
  const noCounts = { views: null, likes: null, engagementRate: null, snapshotExtra: null };
  return { observed: { ...video, ...noCounts, extra: extraText(extra) }, at };
};

/** Computes the rate unless it is stated. */
const countsOf = (counts: ImportedCounts): Observations['snapshots'][number] => {
  const { at, source, rate, extra, ...stated } = counts;
  const observed = {
    ...stated,
    engagementRate: rate === 'unknown' ? null : (rate ?? engagementRate(stated)),
    createdAt: null,
    hashtags: null,
    extra: null,
    snapshotExtra: extraText(extra),
  };
  return { observed, at, source: source ?? 'import' };
};

const creatorOf = (row: ImportedCreator): Observations['creators'][number] => {
  const { extra, profile, source, ...creator } = row;
  return {
    ...creator,
    extra: profile,
    snapshotExtra: extra,
    growth: [],
    source: source ?? 'import',
  };
};
