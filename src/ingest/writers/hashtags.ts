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

/** A hashtag's volume at one instant; platform '' where it covers all. */
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

/** The same, its further fields as an object or as their JSON. */
export type WrittenVolume = Omit<SeenHashtag, 'extra'> & { extra: Extra };

const CACHED_TAGS = 100_000;

/** Links written by one statement. */
const LINKS_TOGETHER = 32;
const LINK_VALUES = 3;
const MANY_VALUES = LINKS_TOGETHER * LINK_VALUES;
const linkSql = (links: number): string => `
  insert into video_hashtag (video_key, hashtag_key, position)
  values ${Array(links).fill('(?, ?, ?)').join(', ')} on conflict do nothing`;

const SEEN = sourceCode('seen');
const GIVES_WAY = `(source = ${SEEN} and @source <> ${SEEN})`;
const STANDS = `(source <> ${SEEN} and @source = ${SEEN})`;
const figure = (name: string): string =>
  `case when ${GIVES_WAY} then @${name} when ${STANDS} then ${name} else coalesce(@${name}, ${name}) end`;
const beside = (name: string): string =>
  `case when ${STANDS} then coalesce(${name}, @${name}) else coalesce(@${name}, ${name}) end`;
/**
 * Merges a repeated observation of one instant. Figures that were counted over videos never change
 * stated ones and give way to them with their window, so that a row has one source in any order;
 * their rank fills a missing one.
 */
const MERGED: Record<string, string> = {
  volume: figure('volume'),
  views: figure('views'),
  change: figure('change'),
  window: figure('window'),
  rank: beside('rank'),
  extra: beside('extra'),
  source: `case when ${GIVES_WAY} then @source else source end`,
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

/** A video, and the keys of the hashtags it carries, to which new ones are added. */
interface Carrier {
  readonly key: number;
  readonly tagKeys: Set<number>;
}

/** Hashtags of a video at an instant (Unix ms), and the listener for new ones. */
interface CarriedTags {
  tags: readonly string[];
  at: number | null;
  onNew: () => void;
}

/** Writes hashtags, their volumes and which video carries them, into one lake. */
export class HashtagWriter {
  readonly #find: Prepared<number>;
  readonly #insert: Statement;
  readonly #insertLink: Statement;
  readonly #insertLinks: Statement;
  /** Links that are not written yet: video, hashtag and position of each, one after the other. */
  #links: number[] = [];
  readonly #insertSnapshot: Statement;
  readonly #mergeSnapshot: Statement;
  // By spelling, because folding costs more than looking up. Keys that a failed transaction had
  // inserted are forgotten: see `forget`.
  readonly #keys = new Map<string, number>();

  constructor({ sqlite }: Lake) {
    this.#find = prepare(sqlite, 'select key from hashtag where folded = ?', 'number');
    this.#insert = sqlite.prepare(
      'insert into hashtag (tag, folded, first_seen_at) values (?, ?, ?)',
    );
    this.#insertLink = sqlite.prepare(linkSql(1));
    this.#insertLinks = sqlite.prepare(linkSql(LINKS_TOGETHER));
    this.#insertSnapshot = sqlite.prepare(`
    insert into hashtag_snapshot
      (hashtag_key, platform, observed_at, volume, views, change, rank, source, extra, window)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`);
    this.#mergeSnapshot = sqlite.prepare(MERGE);
  }

  /** Adds a video's hashtags; calls `onNew` before the first. Earlier tags stay. */
  link({ key: videoKey, tagKeys }: Carrier, { tags, at, onNew }: CarriedTags, tally: Tally): void {
    let [inserted, unchanged] = [0, 0];
    tags.forEach((raw, position) => {
      const tag = cleanTag(raw);
      if (tag === '') return;
      const hashtagKey = this.#keyOf(tag, at, tally);
      if (tagKeys.has(hashtagKey)) {
        unchanged += 1;
        return;
      }
      if (inserted === 0) onNew();
      inserted += 1;
      this.#links.push(videoKey, hashtagKey, position);
      tagKeys.add(hashtagKey);
    });
    tally.add('video_hashtags', 'inserted', { subjectKey: videoKey }, inserted);
    tally.add('video_hashtags', 'unchanged', { subjectKey: videoKey }, unchanged);
  }

  /** The keys of hashtags, each once and in their order; new ones are added to the lake. */
  keysOf(tags: readonly string[], at: number, tally: Tally): number[] {
    const cleaned = tags.map(cleanTag).filter((tag) => tag !== '');
    return [...new Set(cleaned.map((tag) => this.#keyOf(tag, at, tally)))];
  }

  /** Writes a hashtag's volume at one instant; the same again changes nothing. */
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

  /**
   * Writes the links noted so far, many in one statement: a third less time than one by one. Call
   * before the transaction's end, and before anybody reads a video's hashtags in it.
   */
  flush(): void {
    const links = this.#links;
    let from = 0;
    for (; from + MANY_VALUES <= links.length; from += MANY_VALUES)
      this.#insertLinks.run(links.slice(from, from + MANY_VALUES));
    for (; from < links.length; from += LINK_VALUES)
      this.#insertLink.run(links.slice(from, from + LINK_VALUES));
    this.#links = [];
  }

  /** Forgets what was noted, and cached keys; call after a transaction was rolled back. */
  forget(): void {
    this.#keys.clear();
    this.#links = [];
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
