import type { Statement } from 'better-sqlite3';
import { type Platform, type Source, sourceCode } from '../../../schema/vocabulary.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { cleanTag } from '../../base/wire/fields.ts';
import { foldName } from '../../base/wire/folding.ts';
import type { Extra } from '../../base/wire/observation.ts';
import type { Lake } from '../../lake/open.ts';
import { type Prepared, prepare } from '../../lake/prepare.ts';
import { extraText } from './join-extra.ts';
import { insertOrMerge, type Tally } from './tally.ts';

/** Volume of a hashtag at an instant. Platform '' covers all. */
export interface SeenHashtag {
  tag: string;
  platform: Platform | '';
  at: number;
  volume: number | null;
  views: number | null;
  change: number | null;
  rank: number | null;
  extra: JsonObject | null;
  /** Window of the volume, such as `30d`; null: unknown. */
  window: string | null;
  source: Source;
}

/** A volume with its further fields as an object or as JSON. */
export type WrittenVolume = Omit<SeenHashtag, 'extra'> & { extra: Extra };

const CACHED_TAGS = 100_000;

// Positions are indexes of the list. Null: not linked.
const LINK = `
  insert into video_hashtag (video_key, hashtag_key, position)
  select ?, value, key from json_each(?) where value is not null`;

const SEEN = sourceCode('seen');
const IS_REPLACED = `(source = ${SEEN} and @source <> ${SEEN})`;
const IS_KEPT = `(source <> ${SEEN} and @source = ${SEEN})`;
const figure = (name: string): string =>
  `case when ${IS_REPLACED} then @${name} when ${IS_KEPT} then ${name} else coalesce(@${name}, ${name}) end`;
const beside = (name: string): string =>
  `case when ${IS_KEPT} then coalesce(${name}, @${name}) else coalesce(@${name}, ${name}) end`;
/**
 * Merges a second observation of an instant. Pulled figures replace counted ones together with their
 * window, whichever came first, so that a row has one source. A counted rank only fills a missing one.
 */
const MERGED: Record<string, string> = {
  volume: figure('volume'),
  views: figure('views'),
  change: figure('change'),
  window: figure('window'),
  rank: beside('rank'),
  extra: beside('extra'),
  source: `case when ${IS_REPLACED} then @source else source end`,
};
const MERGE = `
  update hashtag_snapshot set
    ${Object.entries(MERGED)
      .map(([name, merged]) => `${name} = ${merged}`)
      .join(', ')}
  where hashtag_key = @key and platform = @platform and observed_at = @at and (
    ${Object.entries(MERGED)
      .map(([name, merged]) => `${name} is not ${merged}`)
      .join(' or ')})`;

/** A video and its hashtags at an instant. */
interface TaggedVideo {
  key: number;
  tags: readonly string[];
  /** Unix ms. */
  at: number | null;
  /** Keys of the hashtags it has. New ones are added. */
  carried: Set<number>;
  /** Called before the first new link. */
  onNew: () => void;
}

/** Writes hashtags, their volumes, and links of videos to hashtags. */
export class HashtagWriter {
  readonly #find: Prepared<number>;
  readonly #insert: Statement;
  readonly #insertLinks: Statement;
  readonly #insertSnapshot: Statement;
  readonly #mergeSnapshot: Statement;
  // By spelling, because folding costs more than a lookup.
  readonly #keys = new Map<string, number>();

  constructor({ sqlite }: Lake) {
    this.#find = prepare(sqlite, 'select key from hashtag where folded = ?', 'number');
    this.#insert = sqlite.prepare(
      'insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?)',
    );
    this.#insertLinks = sqlite.prepare(LINK);
    this.#insertSnapshot = sqlite.prepare(`
    insert into hashtag_snapshot
      (hashtag_key, platform, observed_at, volume, views, change, rank, source, extra, window)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
    this.#mergeSnapshot = sqlite.prepare(MERGE);
  }

  /** Links a video to its hashtags. Earlier links stay. */
  link({ key: videoKey, tags, at, carried, onNew }: TaggedVideo, tally: Tally): void {
    let [inserted, unchanged] = [0, 0];
    const links = tags.map((raw) => {
      const tag = cleanTag(raw);
      if (tag === '') return null;
      const hashtagKey = this.#keyOf(tag, at, tally);
      const isLinked = carried.has(hashtagKey);
      carried.add(hashtagKey);
      if (isLinked) unchanged += 1;
      else inserted += 1;
      return isLinked ? null : hashtagKey;
    });
    if (inserted > 0) {
      onNew();
      this.#insertLinks.run(videoKey, JSON.stringify(links));
    }
    tally.add('video_hashtags', 'inserted', { subjectKey: videoKey }, inserted);
    tally.add('video_hashtags', 'unchanged', { subjectKey: videoKey }, unchanged);
  }

  /** Distinct keys of hashtags, in order. Inserts unknown ones. */
  keysOf(tags: readonly string[], at: number, tally: Tally): number[] {
    const cleaned = tags.map(cleanTag).filter((tag) => tag !== '');
    return [...new Set(cleaned.map((tag) => this.#keyOf(tag, at, tally)))];
  }

  /** Writes the volume of a hashtag at an instant. Repeating it changes nothing. */
  write(seen: WrittenVolume, tally: Tally): void {
    const key = this.#keyOf(cleanTag(seen.tag), seen.at, tally);
    const { platform, at, volume, views, change, rank, extra, window } = seen;
    const row = {
      key,
      platform,
      at,
      volume,
      views,
      change,
      rank,
      source: sourceCode(seen.source),
      extra: extraText(extra),
      window,
    };
    const written = insertOrMerge(this.#insertSnapshot, this.#mergeSnapshot, row);
    tally.add('hashtag_snapshots', written, { at, subjectKey: key });
  }

  /** Forgets cached keys. Call after a rollback. */
  forget(): void {
    this.#keys.clear();
  }

  #keyOf(tag: string, at: number | null, tally: Tally): number {
    const cached = this.#keys.get(tag);
    if (cached !== undefined) return cached;
    const folded = foldName(tag);
    let key = this.#find.get(folded);
    if (key === undefined) {
      key = Number(this.#insert.run(tag, folded, at).lastInsertRowid);
      tally.add('hashtags', 'inserted', { subjectKey: key });
    }
    if (this.#keys.size >= CACHED_TAGS) this.#keys.clear();
    this.#keys.set(tag, key);
    return key;
  }
}

/** Removes snapshots of hashtags after an instant (Unix ms). @returns how many */
export const removeHashtagSnapshotsAfter = ({ sqlite }: Lake, after: number): number =>
  sqlite.prepare('delete from hashtag_snapshot where observed_at > ?').run(after).changes;
